import { Type } from 'typebox'
import type { Change } from '../changes/changes.ts'
import { page, pageRequest } from '../contract/lists.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { listLimits, readNow } from '../ledger/ledger.ts'
import { parseId } from '../values/id.ts'
import { budgetViews, changeBudget, createBudget, deleteBudget, getBudget } from './budgets.ts'
import { Budget, BudgetInput, BudgetList, BudgetListQuery, BudgetPatch, BudgetPath } from './schema.ts'

export function budgets(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.post(
    '/v1/orgs/:id/budgets',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      schema: {
        operationId: 'createBudget',
        tags,
        summary: 'Create a budget',
        description:
          'At most so much a period, for the organization or one workflow, deployment or department. It counts from now on and binds the next decision on every process.',
        params: OrgPath,
        body: BudgetInput,
        response: { 201: Budget },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId, status: 201 }, (tools) => createBudget(tools, orgId, request.body))
    },
  )

  app.get(
    '/v1/orgs/:id/budgets',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'listBudgets',
        tags,
        summary: 'List budgets',
        description: 'The budgets in force, each with how much of its running period is used.',
        params: OrgPath,
        querystring: BudgetListQuery,
        response: { 200: BudgetList },
      },
    },
    ({ principal, query }) => {
      const { orgId } = principal!
      const asked = pageRequest(query, 'created_at')
      return readNow(sql, orgId, async (tx, nowMs) => {
        const rows = await listLimits(tx, orgId, 'budget', asked, query)
        const answer = page(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await budgetViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/budgets/:budget_id',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getBudget',
        tags,
        summary: 'Get a budget',
        description: 'One budget, with how much of its running period is used.',
        params: BudgetPath,
        response: { 200: Budget },
      },
    },
    ({ principal, params }) => {
      const { orgId } = principal!
      return readNow(sql, orgId, (tx, nowMs) => getBudget(tx, orgId, nowMs, parseId('budget', params.budget_id)!))
    },
  )

  app.patch(
    '/v1/orgs/:id/budgets/:budget_id',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'updateBudget',
        tags,
        summary: 'Change a budget',
        description:
          'Changes the fields that are given and no other. What was spent goes on counting; another period, anchor or time zone begins where the running period ends (`next_schedule`).',
        params: BudgetPath,
        body: BudgetPatch,
        response: { 200: Budget },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      const id = parseId('budget', request.params.budget_id)!
      return change(request, reply, { orgId }, (tools) => changeBudget(tools, orgId, id, request.body))
    },
  )

  app.delete(
    '/v1/orgs/:id/budgets/:budget_id',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'deleteBudget',
        tags,
        summary: 'Delete a budget',
        description: 'It binds no further decision.',
        params: BudgetPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      const id = parseId('budget', request.params.budget_id)!
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteBudget(tools, orgId, id))
    },
  )
}
