import { Type } from 'typebox'
import { operatorScopes } from '../../access/identity/identity.ts'
import { ListQuery } from '../../contract/lists.ts'
import { Moment, PathId } from '../../contract/wire.ts'
import { KeyName, keyStatuses } from '../keys/keys.ts'

export const OperatorKeyInput = Type.Object(
  {
    name: KeyName,
    scopes: Type.Optional(
      Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...operatorScopes] }), {
        minItems: 1,
        maxItems: operatorScopes.length,
        uniqueItems: true,
        default: [...operatorScopes],
        description: 'A key without `admin:write` is read-only.',
      }),
    ),
    expires_at: Type.Optional({
      ...Moment,
      description: 'Its expiry; by default that of your own key, if it has one.',
    }),
  },
  { title: 'OperatorKeyInput', examples: [{ name: 'On call', scopes: ['admin:read'] }] },
)

export const OperatorKeyPath = Type.Object({ key_id: PathId('key') })
export const OperatorKeyListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { status: Type.Enum([...keyStatuses]) },
)

export const OperatorAddressList = Type.Object(
  {
    ip_allow_list: Type.Array(Type.String(), { description: 'Empty admits every address.' }),
  },
  { title: 'OperatorAddressList', description: 'The addresses from which operators’ keys are accepted.' },
)
