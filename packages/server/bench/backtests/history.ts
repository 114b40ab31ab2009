import { CompiledQuery } from 'kysely'
import {
  admissionOf,
  ensurePolicyPartitions,
  judgeAttempt,
  loadRuleSet,
  type RuleInput,
  type RunAttempt,
  toStoredAttempt,
} from '../../src/governance/policies/policies.ts'
import { addMatches, type MatchRow } from '../../src/governance/policies/queries.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { ensureRunPartitions, insertRuns, type RunRecord } from '../../src/records/run-log/run-log.ts'
import { formatId, newUuid, newUuidAt } from '../../src/values/id.ts'
import { Random } from '../../test/support/random.ts'

/** Rules as organizations have them: by model, by department, by cost and time, for actions, by tags and metadata. */
export const seededRules: readonly RuleInput[] = [
  ...Array.from({ length: 8 }, (_, i) =>
    rule(i, 'block', `run.model == "model-${i * 2}" && run.department_id == "department-${i}"`),
  ),
  rule(8, 'require_approval', 'run.estimated_cost_usd > 0.99 && run.department_id != "department-0"'),
  rule(9, 'block', 'time.hour >= 22 && run.model.startsWith("model-1") && !("night" in run.tags)'),
  rule(10, 'block', 'run.action == "refund" && run.estimated_cost_usd > 0.5', 'action'),
  rule(11, 'require_approval', 'run.action == "delete" && chain.depth > 1', 'action'),
  rule(12, 'block', 'chain.depth > 6 || chain.cost_usd > 9.5'),
  rule(13, 'block', 'run.input_tokens > 99000 && run.operation == "chat"'),
  rule(14, 'block', '"release" in run.metadata && run.metadata["release"] == "2026-13"'),
  rule(15, 'allow', 'key.role == "owner" && run.workflow_id == "workflow-7"'),
  rule(16, 'block', 'customer.id.startsWith("customer-49")'),
  rule(17, 'block', 'time.weekday >= 6 && run.workflow_id == "workflow-3"'),
  rule(18, 'block', 'run.tags.exists(t, t == "banned")'),
  rule(19, 'block', 'run.provider == "elsewhere" && run.max_output_tokens > 4000'),
]

function rule(i: number, effect: RuleInput['effect'], expression: string, target: RuleInput['target'] = 'model') {
  return { name: `rule ${i}`, effect, target, priority: i * 10, expression, reason: `Rule ${i}.` }
}

const dayMs = 86_400_000
const days = 29
const atOnce = 5_000

interface Seeded {
  runs: number
  approved: number
  refused: number
}

/** So many runs as rules admitted them, evenly over the last weeks, and beside them everything that they refused. */
export async function seedHistory(
  platform: Platform,
  org: { readonly id: string; readonly keyId: string },
  runs: number,
): Promise<Seeded> {
  const { sql } = platform
  const nowMs = Date.now()
  await ensureRunPartitions(sql, new Date(nowMs))
  for (let day = 0; day <= days + 1; day++) await ensurePolicyPartitions(sql, new Date(nowMs - day * dayMs))
  const set = await loadRuleSet(platform, org.id)
  const random = new Random(7)
  const seeded: Seeded = { runs: 0, approved: 0, refused: 0 }
  let [records, matches]: [RunRecord[], MatchRow[]] = [[], []]
  let writing: Promise<unknown> = Promise.resolve()
  while (seeded.runs < runs) {
    const atMs = Math.floor(nowMs - days * dayMs + (days * dayMs * seeded.runs) / runs)
    const attempt = randomAttempt(random, atMs, org.keyId)
    const { outcome, rule: decider } = judgeAttempt(set, attempt)
    const isApproved = outcome === 'require_approval' && random.chance(0.2)
    if (outcome === 'allow' || isApproved) {
      seeded.runs += 1
      if (isApproved) seeded.approved += 1
      const approval = isApproved ? { approval_id: formatId('approval', newUuid()) } : {}
      records.push(recordOf(attempt, { ...admissionOf(attempt, set.version), ...approval }, random))
    } else {
      seeded.refused += 1
      matches.push(matchOf(org.id, attempt, set.version, { outcome, rule: decider! }))
    }
    if (records.length === atOnce || seeded.runs === runs) {
      const [someRecords, someMatches] = [records, matches]
      ;[records, matches] = [[], []]
      await writing
      writing = write(platform, org.id, someRecords, someMatches)
    }
  }
  await writing
  return seeded
}

async function write({ sql }: Platform, orgId: string, records: readonly RunRecord[], matches: readonly MatchRow[]) {
  await sql.asOrgs([orgId], async (tx) => {
    const at = new Date().toISOString()
    const { statement, values = [] } = insertRuns(records.map((run) => ({ orgId, run, at })))
    await tx.executeQuery(CompiledQuery.raw(statement.text, [...values]))
    if (matches.length > 0) await addMatches(tx, matches)
  })
}

const matchOf = (
  orgId: string,
  attempt: RunAttempt,
  setVersion: bigint,
  { outcome, rule: decider }: { outcome: string; rule: { id: string; version: number } },
): MatchRow => ({
  org_id: orgId,
  minute: new Date(Math.floor(attempt.atMs / 60_000) * 60_000).toISOString(),
  id: newUuid(),
  rule_id: decider.id,
  rule_version: decider.version,
  set_version: setVersion.toString(),
  outcome,
  shadow: false,
  // Each for itself: what matters here is how many there are.
  attempt_hash: newUuid().replaceAll('-', ''),
  attempt: toStoredAttempt(attempt),
  count: 1,
})

const recordOf = (attempt: RunAttempt, admission: RunRecord['about']['admission'], random: Random): RunRecord => ({
  id: newUuidAt(attempt.atMs),
  retentionClass: 90,
  status: 'succeeded',
  about: {
    model: attempt.model,
    provider: attempt.provider || undefined,
    operation: attempt.operation,
    action: attempt.action || undefined,
    workflow_id: attempt.workflowId,
    department_id: attempt.departmentId || undefined,
    customer_id: attempt.customerId,
    chain_id: attempt.chain.id || undefined,
    tags: attempt.tags,
    metadata: attempt.metadata,
    admission,
  },
  depth: attempt.chain.id === '' ? null : attempt.chain.depth,
  holdId: null,
  usage: { input_tokens: attempt.inputTokens, output_tokens: 100 },
  costNano: random.amount(20_000_000),
  costBasis: 'computed',
  reservedNano: attempt.estimatedNano,
  overrunNano: 0n,
  valueNano: null,
  startedAtMs: attempt.atMs,
  endedAtMs: attempt.atMs + 2_000,
})

function randomAttempt(random: Random, atMs: number, keyId: string): RunAttempt {
  const isInChain = random.chance(0.2)
  return {
    atMs,
    model: `model-${random.int(20)}`,
    provider: random.pick(['openai', 'anthropic', 'elsewhere', '']),
    operation: 'chat',
    action: random.chance(0.1) ? random.pick(['refund', 'delete', 'send']) : '',
    workflowId: `workflow-${random.int(30)}`,
    deploymentId: '',
    departmentId: random.chance(0.1) ? '' : `department-${random.int(12)}`,
    customerId: `customer-${random.int(5_000)}`,
    userId: '',
    inputTokens: random.int(100_000),
    maxOutputTokens: random.int(4_100),
    estimatedNano: random.amount(1_000_000_000),
    tags: random.some(['beta', 'night', 'eu'], 0.3),
    metadata: { release: random.pick(['2026-11', '2026-12']), attempt: random.int(4) },
    key: { id: keyId, role: 'owner', scopes: [] },
    chain: isInChain
      ? { id: `ticket-${random.int(10_000)}`, depth: random.between(1, 7), costNano: random.amount(10_000_000_000) }
      : { id: '', depth: 1, costNano: 0n },
  }
}
