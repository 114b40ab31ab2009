import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { isEmail } from './email.ts'

const memberRoles = ['owner', 'admin', 'member', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]
const memberStatuses = ['invited', 'active', 'deactivated', 'removed'] as const
export type MemberStatus = (typeof memberStatuses)[number]

const Role = Type.Enum([...memberRoles], {
  description: 'What the person may do. People have no part in the data plane: decisions and runs are for keys.',
})
const Name = Type.String({ maxLength: 200, default: '', examples: ['Ada Lovelace'] })
const email = Type.String({ minLength: 3, maxLength: 254, examples: ['ada@acme.example'] })

const invitation = Type.Object(
  { email, name: Type.Optional(Name), role: Role },
  { title: 'MemberInput', examples: [{ email: 'ada@acme.example', name: 'Ada Lovelace', role: 'admin' }] },
)
export const MemberInput = withCheck(invitation, ({ email: address }: { email: unknown }) =>
  typeof address !== 'string' || isEmail(address)
    ? []
    : [{ field: 'email', code: 'invalid_format', message: 'Must be an e-mail address.' }],
)
export type MemberInput = Static<typeof invitation>

export const MemberChange = Type.Object(
  { name: Type.Optional(Name), role: Role },
  { title: 'MemberChange', examples: [{ role: 'viewer', name: 'Ada Lovelace' }] },
)
export type MemberChange = Static<typeof MemberChange>

const fields = {
  id: Id('member'),
  org_id: Id('org'),
  email: Type.String({ examples: ['ada@acme.example'] }),
  name: Type.String({ examples: ['Ada Lovelace'] }),
  role: OneOf([...memberRoles], { examples: ['admin'] }),
  status: OneOf([...memberStatuses], {
    description:
      '`invited`: they have not signed in yet. `deactivated`: their directory has shut them out. `removed`: shown for 90 days.',
  }),
  external_id: Nullable(
    Type.String({ description: 'What the directory calls them; null for those it does not keep.' }),
  ),
  accepted_at: Nullable(Timestamp),
  deactivated_at: Nullable(Timestamp),
  removed_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Member = Type.Object(fields, { title: 'Member', description: 'A person in the organization.' })
export type MemberView = Static<typeof Member>

export const Invitation = Type.Object(
  {
    url: Type.String({
      description: 'The page on which the invited person signs in for the first time. Shown in this response only.',
      examples: ['https://weir.example/console/signin?code=weirlink_…'],
    }),
    expires_at: Timestamp,
  },
  { title: 'Invitation', description: 'A link to hand to the invited person: whoever opens it first is that member.' },
)
export const InvitedMember = Type.Object(
  {
    ...fields,
    invitation: Nullable(Invitation),
  },
  {
    title: 'InvitedMember',
    description:
      'The member, with the link to hand over; without one where people sign in with an identity provider only.',
  },
)

export const MemberPath = Type.Object({ id: PathId('org'), member_id: PathId('member') })
export const MemberList = ListOf(Member)
export const MemberListQuery = ListQuery(
  { created_at: 'time' },
  {
    status: Type.Enum([...memberStatuses], {
      description: 'Only members in this state; by default all but the removed.',
    }),
    role: Type.Enum([...memberRoles]),
    email: Type.String({ minLength: 3, maxLength: 254, description: 'Only the member with this address.' }),
  },
  'uuid',
)
