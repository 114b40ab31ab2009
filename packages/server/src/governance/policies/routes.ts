import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse, readWindow } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Cache } from '../../platform/nodes/nodes.ts'
import { formatId, parseId, requireId } from '../../values/id.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { draftRules } from './draft.ts'
import type { RuleSet } from './evaluation.ts'
import { attemptFromInput, explainRules } from './explanation.ts'
import { type AfterRuleChange, createRule, removeRule, replaceRule, ruleView } from './policies.ts'
import { countMatches, findRule, listMatches, listRules, type MatchFilters } from './queries.ts'
import {
  DailyMatches,
  DailyMatchQuery,
  EvaluateInput,
  Evaluation,
  PolicyMatchList,
  PolicyMatchQuery,
  RuleInput,
  RuleList,
  RuleListQuery,
  RulePath,
  RuleView,
} from './schema.ts'
import { attemptView, type StoredAttempt } from './stored-attempt.ts'

export function policies(
  app: App,
  { sql, clock }: Platform,
  change: Change,
  rules: Cache<RuleSet>,
  afterRuleChange: AfterRuleChange,
) {
  const tags = ['policies']
  describeTag(app, 'policies', 'Rules, approvals and content safety, which govern what runs may do.')
  const reading = { role: 'viewer', scope: 'policies:read' } as const
  const writing = { role: 'admin', scope: 'policies:write' } as const

  app.post(
    '/v1/orgs/:id/policies',
    {
      config: { ...writing, errors: ['conflict'] },
      schema: {
        operationId: 'createPolicy',
        tags,
        summary: 'Create a rule',
        description:
          'The rule applies from the next run on, in every process. Its expression is parsed and type-checked here.',
        params: OrgPath,
        body: RuleInput,
        response: { 201: RuleView },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, (tools) => createRule(tools, orgId, request.body))
    },
  )

  app.get(
    '/v1/orgs/:id/policies',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'listPolicies',
        tags,
        summary: 'List rules',
        description: 'Newest first; `sort=priority` is the order in which rules are evaluated.',
        params: OrgPath,
        querystring: RuleListQuery,
        response: { 200: RuleList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'priority')
      const rows = await sql.asOrgs([orgId], (tx) => listRules(tx, orgId, asked, query))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(ruleView) }
    },
  )

  app.get(
    '/v1/orgs/:id/policies/matches',
    {
      config: { ...reading, pinned: 'filtered' },
      schema: {
        operationId: 'listPolicyMatches',
        tags,
        summary: 'List policy matches',
        description:
          'Attempts that rules refused, and attempts that shadow rules would have decided. Equal attempts within a minute share a row. Kept for 90 days.',
        params: OrgPath,
        querystring: PolicyMatchQuery,
        response: { 200: PolicyMatchList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'minute')
      const filters = filtersOf(query, caller)
      const rows = await sql.asOrgs([orgId], (tx) => listMatches(tx, orgId, asked, filters))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return {
        ...answer,
        data: answer.data.map((row) => ({
          id: formatId('policyMatch', row.id),
          minute: timestamp(row.minute),
          rule_id: formatId('rule', row.rule_id),
          rule_version: row.rule_version,
          outcome: row.outcome,
          shadow: row.shadow,
          count: Number(row.count),
          attempt: attemptView(row.attempt as unknown as StoredAttempt),
        })),
      }
    },
  )

  app.get(
    '/v1/orgs/:id/policies/matches/daily',
    {
      config: { ...reading, pinned: 'filtered', expensive: true },
      schema: {
        operationId: 'countPolicyMatches',
        tags,
        summary: 'Count policy matches by day',
        description:
          'The number of attempts that each rule refused, or as a shadow rule would have decided, on each UTC day. Covers the last 30 days by default; kept for 90.',
        params: OrgPath,
        querystring: DailyMatchQuery,
        response: { 200: DailyMatches },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const now = clock.now()
      const window = readWindow(query, { from: new Date(now.getTime() - 30 * dayMs), to: now })
      const filters = { ...filtersOf(query, caller), ...window }
      const rows = await sql.asOrgs([orgId], (tx) => countMatches(tx, orgId, filters))
      return {
        from: timestamp(window.from),
        to: timestamp(window.to),
        data: rows.map((row) => ({ ...row, rule_id: formatId('rule', row.rule_id), count: Number(row.count) })),
      }
    },
  )

  app.get(
    '/v1/orgs/:id/policies/:rule_id',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'getPolicy',
        tags,
        summary: 'Get a rule',
        description: 'Returns one rule.',
        params: RulePath,
        response: { 200: RuleView },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const row = await sql.asOrgs([orgId], (tx) => findRule(tx, orgId, requireId('rule', params.rule_id)))
      if (!row) throw new ApiError('not_found')
      return ruleView(row)
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/policies/:rule_id',
    {
      config: writing,
      tags,
      name: 'Policy',
      put: {
        summary: 'Replace a rule',
        description:
          'The rule applies from the next run on, in every process. Approvals that were granted under its previous version expire.',
      },
      patch: {
        summary: 'Change a rule',
        description: 'Changes only the given fields; otherwise the same as replacing the rule.',
      },
      params: RulePath,
      body: RuleInput,
      view: RuleView,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('rule', request.params.rule_id)
      return change(request, reply, { orgId }, (tools) => replaceRule(tools, orgId, id, wanted, afterRuleChange))
    },
  )

  app.delete(
    '/v1/orgs/:id/policies/:rule_id',
    {
      config: writing,
      schema: {
        operationId: 'deletePolicy',
        tags,
        summary: 'Delete a rule',
        description: 'The rule is no longer evaluated, from the next run on.',
        params: RulePath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('rule', request.params.rule_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeRule(tools, orgId, id, afterRuleChange))
    },
  )

  app.post(
    '/v1/orgs/:id/policies/evaluate',
    {
      config: { ...reading, ignoresIdempotencyKey: true },
      schema: {
        operationId: 'evaluatePolicies',
        tags,
        summary: 'Explain how rules decide a run',
        description:
          'Evaluates every rule for a run without starting it, and reports which rules match and why, and which one decides. With `rules`, a draft is evaluated instead of the saved rules. Nothing is recorded.',
        params: OrgPath,
        body: EvaluateInput,
        response: { 200: Evaluation },
      },
    },
    async ({ caller, body }) => {
      const set = await rules.get(caller.orgId)
      const attempt = attemptFromInput(body, caller, clock.now())
      if (body.rules === undefined) return explainRules(set, attempt)
      const draft = await draftRules(body.rules, set)
      return explainRules(draft.set, attempt, draft.positions)
    },
  )
}

/** Builds the filters of a match list: the caller's query, and the pins of its key. */
const filtersOf = (
  { rule_id, outcome, shadow, from, to }: Omit<PolicyMatchQuery, 'sort'>,
  { pins }: Pick<Caller, 'pins'>,
): MatchFilters => ({
  pins,
  ruleId: rule_id === undefined ? undefined : parseId('rule', rule_id),
  outcome,
  shadow,
  from: from === undefined ? undefined : new Date(from),
  to: to === undefined ? undefined : new Date(to),
})
