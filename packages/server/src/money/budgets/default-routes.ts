import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { OrNotSet, replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import {
  deleteBudgetDefault,
  getBudgetDefault,
  listBudgetDefaults,
  listDefaultUsage,
  putBudgetDefault,
} from './budget-defaults.ts'
import {
  BudgetDefault,
  BudgetDefaultInput,
  BudgetDefaultList,
  DefaultPath,
  DefaultUsageList,
  DefaultUsageQuery,
} from './default-schema.ts'

export function budgetDefaults(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']
  const reading = { role: 'viewer', scope: 'limits:read' } as const
  const writing = { role: 'admin', scope: 'limits:write' } as const

  app.get(
    '/v1/orgs/:id/budget-defaults',
    {
      config: reading,
      schema: {
        operationId: 'listBudgetDefaults',
        tags,
        summary: 'List default budgets',
        description: 'Those that are set, at most one each for departments, workflows, deployments, users and keys.',
        params: OrgPath,
        response: { 200: BudgetDefaultList },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx, nowMs) => listBudgetDefaults(tx, caller.orgId, nowMs)),
  )

  app.get(
    '/v1/orgs/:id/budget-defaults/:scope_kind',
    {
      config: reading,
      schema: {
        operationId: 'getBudgetDefault',
        tags,
        summary: 'Get a default budget',
        description:
          'The budget of every department, workflow, deployment, user or key that has none of its own; null in every field while none is set.',
        params: DefaultPath,
        response: { 200: OrNotSet(BudgetDefault) },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      return readAtDatabaseTime(sql, orgId, (tx, nowMs) => getBudgetDefault(tx, orgId, nowMs, params.scope_kind))
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/budget-defaults/:scope_kind',
    {
      config: writing,
      tags,
      name: 'BudgetDefault',
      put: {
        summary: 'Set a default budget',
        description:
          'For every department, workflow, deployment, user or key that has no budget of its own, each for itself, from the next decision on. What was spent under it goes on counting; another schedule begins where the running period ends. A time zone or an anchor that is set must be named again.',
      },
      patch: {
        summary: 'Change a default budget',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: DefaultPath,
      body: BudgetDefaultInput,
      view: BudgetDefault,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const { scope_kind } = request.params
      const keepsNext = request.takenBack.has('next_schedule')
      return change(request, reply, { orgId }, (tools) => putBudgetDefault(tools, orgId, scope_kind, wanted, keepsNext))
    },
  )

  app.delete(
    '/v1/orgs/:id/budget-defaults/:scope_kind',
    {
      config: writing,
      schema: {
        operationId: 'deleteBudgetDefault',
        tags,
        summary: 'Remove a default budget',
        description: 'It binds no further decision.',
        params: DefaultPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const { scope_kind } = request.params
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteBudgetDefault(tools, orgId, scope_kind))
    },
  )

  app.get(
    '/v1/orgs/:id/budget-defaults/:scope_kind/usage',
    {
      config: { ...reading, expensive: true },
      schema: {
        operationId: 'listBudgetDefaultUsage',
        tags,
        summary: 'List how much of a default budget is used',
        description: 'For each department, workflow, deployment, user or key that it has bound in the running period.',
        params: DefaultPath,
        querystring: DefaultUsageQuery,
        response: { 200: DefaultUsageList },
      },
    },
    ({ caller, params, query }) => {
      const { orgId } = caller
      return readAtDatabaseTime(sql, orgId, (tx, nowMs) => listDefaultUsage(tx, orgId, nowMs, params.scope_kind, query))
    },
  )
}
