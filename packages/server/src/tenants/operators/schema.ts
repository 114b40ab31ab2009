import { Type } from 'typebox'
import { operatorScopes } from '../../access/identity/identity.ts'
import { ListQuery } from '../../contract/lists.ts'
import { Moment, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
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

const Node = Type.Object(
  {
    id: Type.String({
      description: 'A name that the process gave itself.',
      examples: ['0192f0c8-96c4-7b3e-8c55-4a3f4f4e2b10'],
    }),
    role: OneOf(['api', 'worker'], { examples: ['api'] }),
    version: Type.String({ description: 'The version of the program that it runs.', examples: ['1.4.0'] }),
    status: OneOf(['live', 'gone'], {
      description: '`live`: it holds its lease. `gone`: it ended without leaving; it is listed for a day.',
      examples: ['live'],
    }),
    started_at: Timestamp,
    lease_until: { ...Timestamp, description: 'It renews the lease every few seconds while it lives.' },
  },
  { title: 'Node', description: 'A process of the installation.' },
)

export const NodeList = Type.Object(
  { data: Type.Array(Node) },
  { title: 'NodeList', description: 'The newest 1,000 processes of the installation, the newest first.' },
)
