import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { exampleId, Id, IdFilter, MadeByFilter, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'

const statuses = ['active', 'revoked', 'expired'] as const
export type SessionStatus = (typeof statuses)[number]

export const Session = Type.Object(
  {
    id: Id('session'),
    org_id: Nullable(Id('org')),
    key_id: Nullable(
      Type.String({
        description: 'The key or support grant as which the session acts, and with which it ends; null for a person.',
        examples: [exampleId('key')],
      }),
    ),
    member_id: Nullable(Type.String({ ...Id('member'), description: 'The member as whom it acts; null for a key.' })),
    way: OneOf(['key', 'link', 'oidc', 'saml', 'passkey'], { description: 'How somebody signed in.' }),
    connection_id: Nullable(
      Type.String({ ...Id('connection'), description: 'The connection to an identity provider; null without one.' }),
    ),
    status: OneOf([...statuses], { description: '`expired` also when it was unused for too long.' }),
    is_current: Type.Boolean({ description: 'True for the session of this very request.' }),
    address: Type.String({ description: 'The address at which somebody signed in.', examples: ['203.0.113.7'] }),
    user_agent: Type.String({ description: 'The browser, as it describes itself.', examples: ['Mozilla/5.0'] }),
    last_used_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Session', description: 'A session of a browser, without its secret.' },
)
export type SessionView = Static<typeof Session>

export const SessionList = ListOf(Session)
const status = Type.Enum([...statuses])
export const MySessionListQuery = ListQuery({ created_at: 'time' }, { status }, 'uuid')
export const OrgSessionListQuery = ListQuery(
  { created_at: 'time' },
  {
    status,
    key_id: MadeByFilter('Only sessions of this key or support grant.'),
    member_id: IdFilter(['member'], 'Only sessions of this member.'),
  },
  'uuid',
)
export const MySessionPath = Type.Object({ session_id: PathId('session') })
export const OrgSessionPath = Type.Object({ id: PathId('org'), session_id: PathId('session') })
export const SignInLink = Type.Object(
  {
    url: Type.String({
      description: 'The page that signs in whoever opens it first. Shown in this response only.',
      examples: ['https://weir.example/console/signin?code=weirlink_…'],
    }),
    expires_at: Timestamp,
  },
  { title: 'SignInLink', description: 'A link that signs a browser in once.' },
)
export const RevokedSessions = Type.Object(
  { revoked: Type.Integer({ description: 'Number of sessions that were ended.', examples: [3] }) },
  { title: 'RevokedSessions', description: 'How many sessions were ended.' },
)
