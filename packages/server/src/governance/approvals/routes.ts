import type { Change } from '../../access/changes/changes.ts'
import { isWithinPins } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId, requireId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { approve, deny, revokeApprovalGrant } from './approvals.ts'
import { findApproval, listApprovals } from './queries.ts'
import { ApprovalList, ApprovalListQuery, ApprovalPath, ApprovalView, ApproveInput, DenyInput } from './schema.ts'
import { approvalViews } from './views.ts'

export function approvals(app: App, { sql, clock }: Platform, change: Change) {
  const tags = ['policies']

  app.get(
    '/v1/orgs/:id/approvals',
    {
      config: { role: 'viewer', scope: 'policies:read', pinned: 'filtered' },
      schema: {
        operationId: 'listApprovals',
        tags,
        summary: 'List approvals',
        description: 'Requests for approval that rules have created, with the decisions on them.',
        params: OrgPath,
        querystring: ApprovalListQuery,
        response: { 200: ApprovalList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const ruleId = query.rule_id === undefined ? undefined : parseId('rule', query.rule_id)
      if (query.rule_id !== undefined && ruleId === undefined) return { data: [], next_cursor: null }
      return sql.asOrgs([orgId], async (tx) => {
        const rows = await listApprovals(tx, orgId, asked, { status: query.status, ruleId, pins: caller.pins })
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await approvalViews(tx, orgId, answer.data) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/approvals/:approval_id',
    {
      config: { role: 'viewer', scope: 'policies:read', pinned: 'filtered' },
      schema: {
        operationId: 'getApproval',
        tags,
        summary: 'Get an approval',
        description: 'Returns one request, with the usage of its grant.',
        params: ApprovalPath,
        response: { 200: ApprovalView },
      },
    },
    ({ caller, params }) => {
      const { orgId, pins } = caller
      return sql.asOrgs([orgId], async (tx) => {
        const row = await findApproval(tx, orgId, requireId('approval', params.approval_id))
        if (!row || !isWithinPins(pins, row.attempt)) throw new ApiError('not_found')
        const [view] = await approvalViews(tx, orgId, [row])
        return present(view)
      })
    },
  )

  app.post(
    '/v1/orgs/:id/approvals/:approval_id/approve',
    {
      config: { role: 'admin', scope: 'policies:write', errors: ['conflict'], pinned: 'filtered' },
      schema: {
        operationId: 'approveApproval',
        tags,
        summary: 'Approve a request',
        description:
          'Lets the next equal attempts proceed, up to the granted number of runs and the granted amount, until the grant expires or its rule changes. The key that requested the approval cannot approve it, nor can whatever it has created; a rule can ask for a person.',
        params: ApprovalPath,
        body: ApproveInput,
        response: { 200: ApprovalView },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('approval', request.params.approval_id)
      return change(request, reply, { orgId }, (tools) =>
        approve(tools, orgId, id, { caller: request.caller, now: clock.now() }, request.body),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/approvals/:approval_id/revoke',
    {
      config: { role: 'admin', scope: 'policies:write', errors: ['conflict'], pinned: 'filtered' },
      schema: {
        operationId: 'revokeApproval',
        tags,
        summary: 'Revoke a grant',
        description: 'No further runs start on it. Runs that have already started continue.',
        params: ApprovalPath,
        response: { 200: ApprovalView },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('approval', request.params.approval_id)
      return change(request, reply, { orgId }, (tools) => revokeApprovalGrant(tools, request.caller, id, clock.now()))
    },
  )

  app.post(
    '/v1/orgs/:id/approvals/:approval_id/deny',
    {
      config: { role: 'admin', scope: 'policies:write', errors: ['conflict'], pinned: 'filtered' },
      schema: {
        operationId: 'denyApproval',
        tags,
        summary: 'Deny a request',
        description: 'Equal attempts stay refused, and for a day they create no new request.',
        params: ApprovalPath,
        body: DenyInput,
        response: { 200: ApprovalView },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('approval', request.params.approval_id)
      return change(request, reply, { orgId }, (tools) =>
        deny(tools, orgId, id, { caller: request.caller, now: clock.now() }, request.body),
      )
    },
  )
}
