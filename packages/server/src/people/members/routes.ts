import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { requireId } from '../../values/id.ts'
import { getPolicy } from '../session-policy/session-policy.ts'
import { makeInvitation } from '../sessions/sessions.ts'
import {
  addMember,
  changeMember,
  endMember,
  findMember,
  listMembers,
  lockMember,
  type MemberRow,
  memberStatus,
  memberView,
  normalEmail,
  requireCanGive,
  requireCanManage,
} from './members.ts'
import { setInviter } from './queries.ts'
import { InvitedMember, Member, MemberChange, MemberInput, MemberList, MemberListQuery, MemberPath } from './schema.ts'

export function members(app: App, platform: Platform, change: Change) {
  const { sql } = platform
  const tags = ['members']
  describeTag(app, 'members', 'People in an organization.')

  /** Makes the link of an invited member; null where it could not be used. */
  async function invitationOf(tx: Tx, orgId: string, memberId: string) {
    const { sso } = await getPolicy(tx, orgId)
    return sso === 'required' ? null : makeInvitation(platform, tx, orgId, memberId)
  }

  /** Locks a member who is not removed. */
  async function locked(tx: Tx, orgId: string, text: string): Promise<MemberRow> {
    const row = await lockMember(tx, orgId, requireId('member', text))
    if (!row || memberStatus(row) === 'removed') throw new ApiError('not_found')
    return row
  }

  app.post(
    '/v1/orgs/:id/members',
    {
      config: { role: 'admin', scope: 'members:write', errors: ['conflict'] },
      schema: {
        operationId: 'createMember',
        tags,
        summary: 'Invite a person',
        description:
          'Makes a person a member, with no more power than yours, and returns a link to hand to them: it signs in whoever opens it first, works once, for seven days. Where people must sign in with an identity provider there is no link: they sign in there, under this address.',
        params: OrgPath,
        body: MemberInput,
        response: { 201: InvitedMember },
      },
    },
    (request, reply) => {
      const { caller, body } = request
      const { orgId } = caller
      return change(request, reply, { orgId, status: 201 }, async (tools) => {
        requireCanGive(caller, body.role)
        const row = await addMember(tools, orgId, { name: '', ...body, invitedBy: caller })
        return { ...memberView(row), invitation: await invitationOf(tools.tx, orgId, row.id) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/members',
    {
      config: { role: 'admin', scope: 'members:read' },
      schema: {
        operationId: 'listMembers',
        tags,
        summary: 'List the members',
        description:
          'The people in the organization. Those who were removed are listed with `status=removed`, for 90 days.',
        params: OrgPath,
        querystring: MemberListQuery,
        response: { 200: MemberList },
      },
    },
    async ({ caller, query }) => {
      const asked = pageRequest<'created_at'>(query, 'created_at')
      const { status, role, email } = query
      const emailKey = email === undefined ? undefined : normalEmail(email)
      const rows = await sql.asOrgs([caller.orgId], (tx) =>
        listMembers(tx, caller.orgId, asked, { status, role, emailKey }),
      )
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(memberView) }
    },
  )

  app.get(
    '/v1/orgs/:id/members/:member_id',
    {
      config: { role: 'admin', scope: 'members:read' },
      schema: {
        operationId: 'getMember',
        tags,
        summary: 'Get a member',
        description: 'One member, also one who was removed in the last 90 days.',
        params: MemberPath,
        response: { 200: Member },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const row = await sql.asOrgs([orgId], (tx) => findMember(tx, orgId, requireId('member', params.member_id)))
      if (!row) throw new ApiError('not_found')
      return memberView(row)
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/members/:member_id',
    {
      config: { role: 'admin', scope: 'members:write', errors: ['conflict'] },
      tags,
      name: 'Member',
      put: {
        summary: 'Replace the changeable fields of a member',
        description:
          'Their name and their role. A lower role binds their next request on every process, and ends their keys of administrators above it. You can neither give more power than yours nor change somebody who has more. The last owner is 409 `conflict`.',
      },
      patch: {
        summary: 'Change a member',
        description: 'Changes the fields that are given and no other; otherwise as replacing them.',
      },
      params: MemberPath,
      body: MemberChange,
      view: Member,
    },
    (request, reply, wanted) => {
      const { caller, params } = request
      return change(request, reply, { orgId: caller.orgId }, async (tools) => {
        const row = await locked(tools.tx, caller.orgId, params.member_id)
        tools.replaces(memberView(row))
        const { name = '', role } = wanted(memberView(row))
        requireCanManage(caller, row)
        if (role !== row.role) requireCanGive(caller, role)
        return memberView(await changeMember(platform, tools, row, { name, role }))
      })
    },
  )

  app.delete(
    '/v1/orgs/:id/members/:member_id',
    {
      config: { role: 'admin', scope: 'members:write', errors: ['conflict'] },
      schema: {
        operationId: 'deleteMember',
        tags,
        summary: 'Remove a member',
        description:
          'Ends their sessions and every key that they answer for or were shown, with what those keys created; the response is sent once no process accepts any of them. To keep a key, rotate it and hand it to another owner first. The last owner, and the last owner’s key, are 409 `conflict`.',
        params: MemberPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { caller, params } = request
      return change(request, reply, { orgId: caller.orgId, status: 204 }, async (tools) => {
        const row = await locked(tools.tx, caller.orgId, params.member_id)
        tools.replaces(memberView(row))
        requireCanManage(caller, row)
        await endMember(platform, tools, row, 'removed')
        return null
      })
    },
  )

  app.post(
    '/v1/orgs/:id/members/:member_id/invitation',
    {
      config: { role: 'admin', scope: 'members:write', errors: ['conflict'] },
      schema: {
        operationId: 'createInvitation',
        tags,
        summary: 'Make a new link for an invited person',
        description:
          'Replaces the link with which they sign in for the first time. Somebody who has come is 409 `conflict`: a link would let its holder act in their name.',
        params: MemberPath,
        response: { 201: InvitedMember },
      },
    },
    (request, reply) => {
      const { caller, params } = request
      const { orgId } = caller
      return change(request, reply, { orgId, status: 201 }, async (tools) => {
        const row = await locked(tools.tx, orgId, params.member_id)
        requireCanManage(caller, row)
        requireCanGive(caller, row.role)
        if (memberStatus(row) !== 'invited')
          throw new ApiError(
            'conflict',
            {},
            { message: 'Only somebody who has not signed in yet can be invited again.' },
          )
        await setInviter(tools.tx, row, caller)
        tools.audit({ action: 'member.invited', target: { kind: 'member', id: params.member_id } })
        return { ...memberView(row), invitation: await invitationOf(tools.tx, orgId, row.id) }
      })
    },
  )
}
