import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { BudgetMeans } from '../../money/budgets/budgets.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import {
  approveProposal,
  denyProposal,
  proposalView,
  proposeBudget,
  proposeIncrease,
  seesAllProposals,
} from './proposals.ts'
import { findProposal, listProposals } from './queries.ts'
import {
  BudgetProposalInput,
  IncreaseInput,
  Proposal,
  ProposalDecision,
  ProposalList,
  ProposalListQuery,
  ProposalPath,
  ProposedBudgetPath,
} from './schema.ts'

export function proposals(app: App, { sql, clock }: Platform, change: Change, means: BudgetMeans) {
  const tags = ['limits']
  // Asking changes nothing: whoever spends may ask for more.
  const asking = {
    role: 'service',
    scope: 'limits:read',
    orScopes: ['runs:write', 'edge:decide'],
    errors: ['conflict'],
  } as const
  const reading = {
    role: 'viewer',
    scope: 'limits:read',
    orScopes: ['runs:write', 'edge:decide'],
    pinned: 'filtered',
  } as const
  // What is approved is a change of a budget, so it takes the right to make one.
  const deciding = { role: 'admin', scope: 'limits:write', errors: ['conflict'] } as const

  app.post(
    '/v1/orgs/:id/budgets/:budget_id/proposals',
    {
      config: { ...asking, pinned: 'filtered' },
      schema: {
        operationId: 'proposeBudgetIncrease',
        tags,
        summary: 'Ask for a higher limit of a budget',
        description:
          'Puts the question to people; nothing changes until one of them approves. The same that waits already is returned. Keys ask only.',
        params: ProposedBudgetPath,
        body: IncreaseInput,
        response: { 201: Proposal },
      },
    },
    (request, reply) => {
      const { caller, body, params } = request
      const id = requireId('budget', params.budget_id)
      return change(request, reply, { orgId: caller.orgId, status: 201 }, (tools) =>
        proposeIncrease(tools, caller, id, body, clock.now()),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/proposals',
    {
      config: asking,
      schema: {
        operationId: 'proposeBudget',
        tags,
        summary: 'Ask for a new budget',
        description:
          'Puts the question to people; nothing changes until one of them approves. The same that waits already is returned. Keys ask only.',
        params: OrgPath,
        body: BudgetProposalInput,
        response: { 201: Proposal },
      },
    },
    (request, reply) => {
      const { caller, body } = request
      return change(request, reply, { orgId: caller.orgId, status: 201 }, (tools) =>
        proposeBudget(tools, caller, body, clock.now()),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/proposals',
    {
      config: reading,
      schema: {
        operationId: 'listProposals',
        tags,
        summary: 'List proposals',
        description:
          'Changes of limits that keys have asked for, with the decisions on them. Without `limits:read`, and for a pinned key, its own only.',
        params: OrgPath,
        querystring: ProposalListQuery,
        response: { 200: ProposalList },
      },
    },
    ({ caller, query }) => {
      const { orgId } = caller
      const now = clock.now()
      const asked = pageRequest(query, 'created_at')
      const sought = { status: query.status, requestedBy: seesAllProposals(caller) ? undefined : caller.id, now }
      return sql.asOrgs([orgId], async (tx) => {
        const rows = await listProposals(tx, orgId, asked, sought)
        const page = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...page, data: page.data.map((row) => proposalView(row, now)) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/proposals/:proposal_id',
    {
      config: reading,
      schema: {
        operationId: 'getProposal',
        tags,
        summary: 'Get a proposal',
        description: 'One proposal, with the decision on it.',
        params: ProposalPath,
        response: { 200: Proposal },
      },
    },
    ({ caller, params }) =>
      sql.asOrgs([caller.orgId], async (tx) => {
        const row = await findProposal(tx, caller.orgId, requireId('proposal', params.proposal_id))
        if (!row || !(seesAllProposals(caller) || row.requested_by === caller.id)) throw new ApiError('not_found')
        return proposalView(row, clock.now())
      }),
  )

  app.post(
    '/v1/orgs/:id/proposals/:proposal_id/approve',
    {
      config: deciding,
      schema: {
        operationId: 'approveProposal',
        tags,
        summary: 'Approve a proposal',
        description:
          'Makes the change in the same transaction, as yours. A person decides, and not the one behind the key that asked; 409 where the budget has changed meanwhile.',
        params: ProposalPath,
        body: ProposalDecision,
        response: { 200: Proposal },
      },
    },
    (request, reply) => {
      const { caller, body, params } = request
      const id = requireId('proposal', params.proposal_id)
      return change(request, reply, { orgId: caller.orgId }, (tools) =>
        approveProposal(tools, caller, id, body, means, clock.now()),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/proposals/:proposal_id/deny',
    {
      config: deciding,
      schema: {
        operationId: 'denyProposal',
        tags,
        summary: 'Deny a proposal',
        description: 'Nothing changes, and for a day the same key cannot ask for the same again.',
        params: ProposalPath,
        body: ProposalDecision,
        response: { 200: Proposal },
      },
    },
    (request, reply) => {
      const { caller, body, params } = request
      const id = requireId('proposal', params.proposal_id)
      return change(request, reply, { orgId: caller.orgId }, (tools) =>
        denyProposal(tools, caller, id, body, clock.now()),
      )
    },
  )
}
