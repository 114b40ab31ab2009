import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { isWithinPins } from '../../access/identity/identity.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { listShownLimits, readAtDatabaseTime } from '../ledger/ledger.ts'
import {
  type BudgetMeans,
  budgetViews,
  createBudget,
  deleteBudget,
  deleteScopedBudget,
  getBudget,
  getScopedBudget,
  putScopedBudget,
  replaceBudget,
} from './budgets.ts'
import { budgetDefaults } from './default-routes.ts'
import { pinnedBudgets, scopeOf } from './pinned-budgets.ts'
import {
  Budget,
  BudgetInput,
  BudgetKey,
  BudgetList,
  BudgetListQuery,
  BudgetPath,
  BudgetReplacement,
  ScopedBudgetInput,
} from './schema.ts'
import { soughtScopeIds } from './scope.ts'

export function budgets(app: App, platform: Platform, change: Change, means: BudgetMeans) {
  const { sql } = platform
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
          'Limits the spend per period, for the organization or a part of it. It counts from now on, or from `counts_from`, and binds the next decision on every process.',
        params: OrgPath,
        body: BudgetInput,
        response: { 201: Budget },
      },
    },
    (request, reply) => {
      const { caller, body } = request
      return change(request, reply, { orgId: caller.orgId, status: 201 }, (tools) =>
        createBudget(tools, caller, body, means),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/budgets',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
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
    ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const filters = pinnedBudgets(query, caller)
      if (!filters) return { data: [], next_cursor: null }
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const scope_ids = await soughtScopeIds(tx, orgId, filters)
        const rows = await listShownLimits(tx, orgId, 'budget', asked, { ...filters, scope_ids })
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await budgetViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/budgets/:budget_id',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
      schema: {
        operationId: 'getBudget',
        tags,
        summary: 'Get a budget',
        description: 'One budget, with how much of its running period is used.',
        params: BudgetPath,
        response: { 200: Budget },
      },
    },
    ({ caller, params }) => {
      const { orgId, pins } = caller
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const budget = await getBudget(tx, orgId, nowMs, requireId('budget', params.budget_id))
        return budget && isWithinPins(pins, scopeOf(budget)) ? budget : undefined
      })
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/budgets/:budget_id',
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'Budget',
      put: {
        summary: 'Replace a budget',
        description:
          'What is left out returns to its default; a time zone or an anchor that is set must be named again. What was spent goes on counting; another period, anchor or time zone begins where the running period ends (`next_schedule`). Its scope cannot be changed.',
      },
      patch: {
        summary: 'Change a budget',
        description: 'Changes the fields that are given and no other; otherwise as replacing it.',
      },
      params: BudgetPath,
      body: BudgetReplacement,
      view: Budget,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('budget', request.params.budget_id)
      const keepsNext = request.takenBack.has('next_schedule')
      return change(request, reply, { orgId }, (tools) => replaceBudget(tools, orgId, id, wanted, keepsNext))
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
      const { orgId } = request.caller
      const id = requireId('budget', request.params.budget_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteBudget(tools, orgId, id))
    },
  )

  app.get(
    '/v1/orgs/:id/scoped-budget',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered', errors: ['conflict'] },
      schema: {
        operationId: 'getScopedBudget',
        tags,
        summary: 'Get the budget of a scope and period',
        description: 'The budget that the query names, with how much of its running period is used.',
        params: OrgPath,
        querystring: BudgetKey,
        response: { 200: Budget },
      },
    },
    ({ caller, query }) => {
      const { orgId, pins } = caller
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) =>
        isWithinPins(pins, scopeOf(query)) ? getScopedBudget(tx, orgId, nowMs, query) : undefined,
      )
    },
  )

  app.put(
    '/v1/orgs/:id/scoped-budget',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      schema: {
        operationId: 'putScopedBudget',
        tags,
        summary: 'Set the budget of a scope and period',
        description:
          'Makes the budget that the query names, or replaces what is set on it: the same request twice makes one budget. What was spent goes on counting, and `timezone` and `anchor` stay where they are left out. 409 where several budgets have this scope and period.',
        params: OrgPath,
        querystring: BudgetKey,
        body: ScopedBudgetInput,
        response: { 200: Budget, 201: Budget },
      },
    },
    (request, reply) => {
      const { caller, query, body } = request
      const { orgId } = caller
      let isNew = false
      return change(request, reply, { orgId, status: () => (isNew ? 201 : 200) }, async (tools) => {
        const made = await putScopedBudget(tools, caller, query, body, means)
        isNew = made.isNew
        return made.budget
      })
    },
  )

  app.delete(
    '/v1/orgs/:id/scoped-budget',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      schema: {
        operationId: 'deleteScopedBudget',
        tags,
        summary: 'Delete the budget of a scope and period',
        description: 'It binds no further decision.',
        params: OrgPath,
        querystring: BudgetKey,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteScopedBudget(tools, orgId, request.query))
    },
  )

  budgetDefaults(app, platform, change)
}
