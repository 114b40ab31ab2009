import type { ChangeTools } from '../changes/changes.ts'
import { ApiError, validationFailed } from '../contract/errors.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { type AccessLease, type Remembered, rememberByOrg } from '../nodes/nodes.ts'
import { formatId, newUuid } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import { compileInTurns, costFaults, expressionFaults, fieldsOf } from './draft.ts'
import { compileRules, type RuleSet } from './evaluation.ts'
import {
  countRules,
  deleteRule,
  findRule,
  insertRule,
  lockSet,
  nextSetVersion,
  orderedRules,
  type RuleFields,
  type RuleRow,
  setVersion,
  timezoneOf,
  updateRule,
} from './queries.ts'
import { maxRules, type RuleInput, type RuleView } from './schema.ts'

export { type AskRules, askRules, type Ruling, type Rulings } from './asking.ts'
export type { Attempt } from './attempt.ts'
export { type Draft, draftRules } from './draft.ts'
export { compileRules, judgeAttempt, type RuleSet } from './evaluation.ts'
export { keepMatches, type PolicyMatches } from './matches.ts'
export { ensurePolicyPartitions, keepPolicyPartitionsJob } from './partitions.ts'
export { attemptedBy } from './refusal.ts'
export type { PolicyVerdict, Rule } from './rule.ts'
export { RuleInput } from './schema.ts'
export { admissionOf, attemptFrom, type StoredAttempt, storedAttempt } from './stored-attempt.ts'

export const ruleView = ({ id, created_at, updated_at, ...rule }: RuleRow): RuleView => ({
  id: formatId('rule', id),
  ...rule,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
})

const eventOf = ({ id, name, effect, target, enabled, shadow }: RuleView) => ({
  rule_id: id,
  name,
  effect,
  target,
  enabled,
  shadow,
})

/** All rules of an organization may be asked about one run: together they must not take long. */
async function assertBearable(tx: Tx, orgId: string) {
  const faults = costFaults(await orderedRules(tx, orgId), 'expression')
  if (faults.length > 0) throw validationFailed(faults)
}

function assertSound({ expression }: RuleInput) {
  const faults = expressionFaults(expression, 'expression')
  if (faults.length > 0) throw validationFailed(faults)
}

export async function createRule(
  { tx, audit, emit, accessChanged }: ChangeTools,
  orgId: string,
  input: RuleInput,
): Promise<RuleView> {
  assertSound(input)
  await lockSet(tx, orgId)
  if ((await countRules(tx, orgId)) >= maxRules)
    throw new ApiError('conflict', {}, { message: `An organization has at most ${maxRules} rules.` })
  await nextSetVersion(tx, orgId)
  const after = ruleView(await insertRule(tx, orgId, newUuid(), fieldsOf(input)))
  await assertBearable(tx, orgId)
  audit({ action: 'policy.created', target: { kind: 'rule', id: after.id }, after })
  emit({ kind: 'policy.created', subject: after.id, data: eventOf(after) })
  accessChanged()
  return after
}

/** What else has to be done in the transaction that changes or removes a rule. */
export type AfterRuleChange = (tools: ChangeTools, orgId: string, ruleId: string) => Promise<void>

async function lockedRule(tx: Tx, orgId: string, id: string): Promise<RuleRow> {
  await lockSet(tx, orgId)
  const row = await findRule(tx, orgId, id)
  if (!row) throw new ApiError('not_found')
  return row
}

export async function replaceRule(
  tools: ChangeTools,
  orgId: string,
  id: string,
  input: RuleInput,
  afterwards: AfterRuleChange,
): Promise<RuleView> {
  const { tx, audit, emit, accessChanged } = tools
  assertSound(input)
  const found = await lockedRule(tx, orgId, id)
  const before = ruleView(found)
  const fields = fieldsOf(input)
  const names = Object.keys(fields) as (keyof RuleFields)[]
  if (names.every((name) => fields[name] === found[name])) return before
  await nextSetVersion(tx, orgId)
  const after = ruleView(await updateRule(tx, orgId, id, fields))
  await assertBearable(tx, orgId)
  await afterwards(tools, orgId, id)
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
  const { tx, audit, emit, accessChanged } = tools
  const before = ruleView(await lockedRule(tx, orgId, id))
  await nextSetVersion(tx, orgId)
  await deleteRule(tx, orgId, id)
  await afterwards(tools, orgId, id)
  audit({ action: 'policy.deleted', target: { kind: 'rule', id: before.id }, before })
  emit({ kind: 'policy.deleted', subject: before.id, data: eventOf(before) })
  accessChanged()
  return null
}

/** The rules that are set for an organization, read in one state of the database. */
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
  await compileInTurns(rules)
  return compileRules(rules, { orgId: formatId('org', orgId), ...about })
}

export const rememberRules = (platform: Platform, lease: AccessLease): Remembered<RuleSet> =>
  rememberByOrg(lease, (orgId) => loadRuleSet(platform, orgId))
