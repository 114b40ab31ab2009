import type { Change } from '../../access/changes/changes.ts'
import { type Caller, parseMaker } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { parseId, requireId } from '../../values/id.ts'
import {
  MySessionListQuery,
  MySessionPath,
  OrgSessionListQuery,
  OrgSessionPath,
  RevokedSessions,
  Session,
  SessionList,
  type SessionStatus,
  SignInLink,
} from './schema.ts'
import {
  endOwnSessions,
  endSession,
  findSession,
  isOwn,
  isWithinPower,
  listSessions,
  makeSignInLink,
  ownersOf,
  type SessionRow,
  sessionView,
} from './sessions.ts'

export function sessions(app: App, platform: Platform, change: Change) {
  const { sql, clock } = platform
  const tags = ['sessions']
  describeTag(app, 'sessions', 'Sessions of browsers, opened with a key or by a person.')

  async function listed(
    caller: Caller,
    query: Parameters<typeof pageRequest>[0] & { status?: SessionStatus },
    ownersIn?: (tx: Tx) => Promise<string[]>,
  ) {
    const asked = pageRequest<'created_at'>(query, 'created_at')
    const now = clock.now()
    const { orgId } = caller
    const rows = await sql.asOrgs([orgId], async (tx) =>
      listSessions(tx, orgId, asked, { ownerIds: await ownersIn?.(tx), status: query.status }, now),
    )
    const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
    return { ...answer, data: answer.data.map((row) => sessionView(row, now, caller)) }
  }

  async function found(caller: Caller, text: string, mayRead: (tx: Tx, row: SessionRow) => Promise<boolean>) {
    const { orgId } = caller
    const row = await sql.asOrgs([orgId], async (tx) => {
      const session = await findSession(tx, orgId, requireId('session', text))
      return session && (await mayRead(tx, session)) ? session : undefined
    })
    if (!row) throw new ApiError('not_found')
    return sessionView(row, clock.now(), caller)
  }

  app.get(
    '/v1/me/sessions',
    {
      config: { anyKey: true },
      schema: {
        operationId: 'listMySessions',
        tags,
        summary: 'List your sessions',
        description: 'The sessions that act as you, also those that have ended lately.',
        querystring: MySessionListQuery,
        response: { 200: SessionList },
      },
    },
    ({ caller, query }) => listed(caller, query, (tx) => ownersOf(tx, caller)),
  )

  app.get(
    '/v1/me/sessions/:session_id',
    {
      config: { anyKey: true, errors: ['not_found'] },
      schema: {
        operationId: 'getMySession',
        tags,
        summary: 'Get one of your sessions',
        description: 'When it began, from where, and when it ends.',
        params: MySessionPath,
        response: { 200: Session },
      },
    },
    ({ caller, params }) => found(caller, params.session_id, isOwn(caller)),
  )

  app.post(
    '/v1/me/sessions/:session_id/revoke',
    {
      config: { anyKey: true, errors: ['not_found'] },
      schema: {
        operationId: 'revokeMySession',
        tags,
        summary: 'End one of your sessions',
        description: 'The response is sent once no process accepts its cookie any more.',
        params: MySessionPath,
        response: { 200: Session },
      },
    },
    (request, reply) => {
      const { caller } = request
      const id = requireId('session', request.params.session_id)
      return change(request, reply, { orgId: caller.orgId }, (tools) =>
        endSession(platform, tools, caller, id, isOwn(caller)),
      )
    },
  )

  app.post(
    '/v1/me/sessions/revoke',
    {
      config: { anyKey: true },
      schema: {
        operationId: 'revokeMySessions',
        tags,
        summary: 'End all your sessions',
        description: 'Ends every session that acts as you, the one of this request included.',
        response: { 200: RevokedSessions },
      },
    },
    (request, reply) =>
      change(request, reply, { orgId: request.caller.orgId }, (tools) =>
        endOwnSessions(platform, tools, request.caller),
      ),
  )

  app.post(
    '/v1/me/sign-in-links',
    {
      // A link is never shown twice, and to no session.
      config: { anyKey: true, ignoresIdempotencyKey: true },
      schema: {
        operationId: 'createSignInLink',
        tags,
        summary: 'Make a link that signs a browser in',
        description:
          'Whoever opens the link first is signed in as your key or grant. It works once, for five minutes. A session cannot make one.',
        response: { 201: SignInLink },
      },
    },
    (request, reply) =>
      change(request, reply, { orgId: request.caller.orgId, status: 201 }, (tools) =>
        makeSignInLink(platform, tools, request.caller),
      ),
  )

  app.get(
    '/v1/orgs/:id/sessions',
    {
      config: { role: 'admin', scope: 'keys:read' },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List the sessions of the organization',
        description: 'Every session, of whichever key, support grant or member, also those that have ended lately.',
        params: OrgPath,
        querystring: OrgSessionListQuery,
        response: { 200: SessionList },
      },
    },
    ({ caller, query }) => {
      const { key_id, member_id } = query
      const owner = key_id === undefined ? undefined : parseMaker(key_id)?.id
      const member = member_id === undefined ? undefined : parseId('member', member_id)
      // A session acts as one of them, so none is of a key and of a member.
      const owners = [owner, member].filter((id) => id !== undefined)
      const isNone = owners.length > 1
      return listed(caller, query, owners.length > 0 ? async () => (isNone ? [] : owners) : undefined)
    },
  )

  app.get(
    '/v1/orgs/:id/sessions/:session_id',
    {
      config: { role: 'admin', scope: 'keys:read' },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get a session of the organization',
        description: 'As whom it acts, when it began, from where, and when it ends.',
        params: OrgSessionPath,
        response: { 200: Session },
      },
    },
    ({ caller, params }) => found(caller, params.session_id, async () => true),
  )

  app.post(
    '/v1/orgs/:id/sessions/:session_id/revoke',
    {
      config: { role: 'admin', scope: 'keys:write' },
      schema: {
        operationId: 'revokeSession',
        tags,
        summary: 'End a session of the organization',
        description:
          'The response is sent once no process accepts its cookie any more. You cannot end a session of a key with more power than yours.',
        params: OrgSessionPath,
        response: { 200: Session },
      },
    },
    (request, reply) => {
      const { caller } = request
      const id = requireId('session', request.params.session_id)
      return change(request, reply, { orgId: caller.orgId }, (tools) =>
        endSession(platform, tools, caller, id, isWithinPower(caller)),
      )
    },
  )
}
