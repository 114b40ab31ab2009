import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'

const Name = Type.String({ minLength: 1, maxLength: 200, examples: ['Okta'] })

export const ScimTokenInput = Type.Object({ name: Name }, { title: 'ScimTokenInput', examples: [{ name: 'Okta' }] })

const tokenStatuses = ['active', 'revoked'] as const
export type ScimTokenStatus = (typeof tokenStatuses)[number]

const tokenFields = {
  id: Id('scimToken'),
  org_id: Id('org'),
  name: Name,
  status: OneOf([...tokenStatuses]),
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  created_at: Timestamp,
}
export const ScimToken = Type.Object(tokenFields, {
  title: 'ScimToken',
  description: 'A token with which a directory provisions members, without its secret.',
})
export type ScimTokenView = Static<typeof ScimToken>

export const ScimTokenWithSecret = Type.Object(
  {
    ...tokenFields,
    secret: Type.String({
      description: 'What the directory sends as a bearer token. Shown in this response only.',
      examples: ['weirscim_…'],
    }),
    base_url: Type.String({
      description: 'The address to enter in the directory beside it.',
      examples: ['https://weir.example/scim/v2'],
    }),
  },
  { title: 'ScimTokenWithSecret', description: 'The token, and what to enter in the directory.' },
)

export const ScimTokenPath = Type.Object({ id: PathId('org'), scim_token_id: PathId('scimToken') })
export const ScimTokenList = ListOf(ScimToken)
export const ScimTokenListQuery = ListQuery({ created_at: 'time' }, { status: Type.Enum([...tokenStatuses]) }, 'uuid')

const roles = ['owner', 'admin', 'member', 'viewer'] as const
export type DirectoryRole = (typeof roles)[number]

const inputRole = Type.Enum([...roles])
const viewRole = OneOf([...roles], { examples: ['admin'] })
const group = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name of the group in the directory; letter case makes no difference.',
  examples: ['Weir admins'],
})
const rulesText = 'Rules in order: the first whose group a member is in gives the role.'
const defaultText = 'The role of those to whom no rule applies.'

export const DirectoryRolesInput = Type.Object(
  {
    rules: Type.Array(Type.Object({ group, role: inputRole }), { maxItems: 100, description: rulesText }),
    default_role: Type.Optional({ ...inputRole, default: 'viewer', description: defaultText }),
  },
  {
    title: 'DirectoryRolesInput',
    examples: [
      {
        rules: [
          { group: 'Weir admins', role: 'admin' },
          { group: 'Engineering', role: 'member' },
        ],
        default_role: 'viewer',
      },
    ],
  },
)
export type DirectoryRolesInput = Static<typeof DirectoryRolesInput>

export const DirectoryRoles = Type.Object(
  {
    rules: Type.Array(Type.Object({ group, role: viewRole }), { description: rulesText }),
    default_role: { ...viewRole, description: defaultText },
    created_at: Nullable({ ...Timestamp, description: 'null where nothing was set.' }),
    updated_at: Nullable(Timestamp),
  },
  { title: 'DirectoryRoles', description: 'Which roles members have by their groups in the directory.' },
)
export type DirectoryRolesView = Static<typeof DirectoryRoles>
