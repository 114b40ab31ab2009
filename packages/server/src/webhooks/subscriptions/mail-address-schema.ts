import { Type } from 'typebox'
import { Timestamp } from '../../contract/wire.ts'

export const MailCode = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      writeOnly: true,
      description: 'The code, as it stands in the mail.',
      examples: ['mail_V2VpciBjb25maXJtcyBhZGRyZXM'],
    }),
  },
  { title: 'MailCode', examples: [{ code: 'mail_V2VpciBjb25maXJtcyBhZGRyZXM' }] },
)

export const ConfirmedMailAddress = Type.Object(
  { address: Type.String({ examples: ['ops@example.com'] }), confirmed_at: Timestamp },
  { title: 'ConfirmedMailAddress', description: 'The address, to which alerts go from now on.' },
)
