import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import { lockLedgerForConfigChange } from '../../money/ledger/ledger.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { type AccessLease, type Cache, createOrgCache } from '../../platform/nodes/nodes.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { namesOf } from '../../values/records.ts'
import { timestamp } from '../../values/timestamp.ts'
import { compileCooperatively, expressionFaults, fieldsOf, setCostFaults } from './draft.ts'
import { compileRules, type RuleSet } from './evaluation.ts'
import {
  deleteRule,
  findRule,
  insertRule,
  lockSet,
  nextSetVersion,
  orderedRules,
  type RuleRow,
  setVersion,
  timezoneOf,
  updateRule,
} from './queries.ts'
import type { Rule } from './rule.ts'
import { maxRules, type RuleInput, type RuleView } from './schema.ts'

export { attemptOf, hasText, type RunAttempt } from './attempt.ts'
export { draftRules, type RuleDraft } from './draft.ts'
export { judgeAttempt, type RuleSet } from './evaluation.ts'
export { type CallEvaluator, createPolicyEvaluator, type PolicyEvaluator, type Ruling } from './evaluator.ts'
export { createPolicyMatchLog, type PolicyMatchLog } from './matches.ts'
export { ensurePolicyPartitions, policyPartitionsJob } from './partitions.ts'
export { lockSet, setVersion } from './queries.ts'
export { attemptedTarget } from './refusal.ts'
export type { Approver, PolicyVerdict, Rule } from './rule.ts'
export { RuleInput } from './schema.ts'
export { admissionOf, attemptView, fromStoredAttempt, type StoredAttempt, toStoredAttempt } from './stored-attempt.ts'

export const ruleView = (row: RuleRow): RuleView => ({
  id: formatId('rule', row.id),
  name: row.name,
  effect: row.effect,
  target: row.target,
  priority: row.priority,
  expression: row.expression,
  reason: row.reason,
  enabled: row.enabled,
  shadow: row.shadow,
  approver: row.approver,
  version: row.version,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

const eventOf = ({ id, name, effect, target, enabled, shadow }: RuleView) => ({
  rule_id: id,
  name,
  effect,
  target,
  enabled,
  shadow,
})

/** Refuses a change that makes the rules too expensive together: all of an organization's rules may be evaluated for one run. */
async function assertAffordable(tx: Tx, orgId: string, before: readonly Rule[]) {
  const faults = setCostFaults(await orderedRules(tx, orgId), before, 'expression')
  if (faults.length > 0) throw validationFailed(faults)
}

/**
 * Returns the current rules and locks them until the transaction ends. They are compiled before the lock is taken, so that others
 * do not wait for it.
 */
async function lockRules(tx: Tx, orgId: string): Promise<RuleRow[]> {
  await compileCooperatively(await orderedRules(tx, orgId))
  await lockSet(tx, orgId)
  return orderedRules(tx, orgId)
}

/**
 * Increments the versions of the rule set and of the ledger. Run starts in progress notice the new ledger version and are
 * evaluated again.
 */
export async function renewRuleSet(tx: Tx, orgId: string) {
  await nextSetVersion(tx, orgId)
  await lockLedgerForConfigChange(tx, orgId)
}

function assertValid({ expression }: Pick<Rule, 'expression'>) {
  const faults = expressionFaults(expression, 'expression')
  if (faults.length > 0) throw validationFailed(faults)
}

export async function createRule(
  { tx, audit, emit, accessChanged }: ChangeTools,
  orgId: string,
  input: RuleInput,
): Promise<RuleView> {
  assertValid(input)
  const rules = await lockRules(tx, orgId)
  if (rules.length >= maxRules)
    throw new ApiError('conflict', {}, { message: `An organization can have at most ${maxRules} rules.` })
  const after = ruleView(await insertRule(tx, orgId, newUuid(), fieldsOf(input)))
  await assertAffordable(tx, orgId, rules)
  await renewRuleSet(tx, orgId)
  audit({ action: 'policy.created', target: { kind: 'rule', id: after.id }, after })
  emit({ kind: 'policy.created', subject: after.id, data: eventOf(after) })
  accessChanged()
  return after
}

/** A hook that runs in the transaction that changes or removes a rule. */
export type AfterRuleChange = (tools: ChangeTools, orgId: string, ruleId: string) => Promise<void>

export async function replaceRule(
  tools: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<RuleInput>,
  afterwards: AfterRuleChange,
): Promise<RuleView> {
  const { tx, audit, emit, replaces, accessChanged } = tools
  const rules = await lockRules(tx, orgId)
  const found = rules.find((rule) => rule.id === id)
  if (!found) throw new ApiError('not_found')
  const before = ruleView(found)
  replaces(before)
  const fields = fieldsOf(wanted(before))
  assertValid(fields)
  const names = namesOf(fields)
  if (names.every((name) => fields[name] === found[name])) return before
  const after = ruleView(await updateRule(tx, orgId, id, fields))
  await assertAffordable(tx, orgId, rules)
  await afterwards(tools, orgId, id)
  await renewRuleSet(tx, orgId)
  audit({ action: 'policy.updated', target: { kind: 'rule', id: after.id }, before, after })
  emit({ kind: 'policy.updated', subject: after.id, data: eventOf(after) })
  accessChanged()
  return after
}

export async function removeRule(
  tools: ChangeTools,
  orgId: string,
  id: string,
  afterwards: AfterRuleChange,
): Promise<null> {
  const { tx, audit, emit, replaces, accessChanged } = tools
  await lockSet(tx, orgId)
  const found = await findRule(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = ruleView(found)
  replaces(before)
  await deleteRule(tx, orgId, id)
  await afterwards(tools, orgId, id)
  await renewRuleSet(tx, orgId)
  audit({ action: 'policy.deleted', target: { kind: 'rule', id: before.id }, before })
  emit({ kind: 'policy.deleted', subject: before.id, data: eventOf(before) })
  accessChanged()
  return null
}

/** Loads an organization's rules, their version and its time zone in one snapshot. */
export async function loadRuleSet({ sql }: Pick<Platform, 'sql'>, orgId: string): Promise<RuleSet> {
  const { rules, ...about } = await sql.asOrgs(
    [orgId],
    async (tx) => ({
      rules: await orderedRules(tx, orgId),
      version: await setVersion(tx, orgId),
      timezone: await timezoneOf(tx, orgId),
    }),
    { isSnapshot: true },
  )
  await compileCooperatively(rules)
  return compileRules(rules, { orgId: formatId('org', orgId), ...about })
}

export const createRuleCache = (platform: Platform, lease: AccessLease): Cache<RuleSet> =>
  createOrgCache(lease, (orgId) => loadRuleSet(platform, orgId))
