import { Environment } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import type { RunAttempt } from '../../src/governance/policies/attempt.ts'
import { compileRules, judgeAttempt } from '../../src/governance/policies/evaluation.ts'
import { effects, type Rule } from '../../src/governance/policies/rule.ts'
import { AttemptVariables, OrgVariables, ruleEnvironment } from '../../src/governance/policies/variables.ts'
import { Random } from '../../test/support/random.ts'
import { alternate, described, percentiles, type Round, rateOf, ratioOf } from '../support/report.ts'

const ratioBar = 0.5
const p99BarMs = 1
const goal = 10_000
const seed = 7
const about = { orgId: 'org_1', version: 1n, timezone: 'Europe/Berlin' }

const models = ['gpt-4o', 'gpt-4o-mini', 'o3', 'claude-opus-4', 'claude-sonnet-4', 'gemini-2.5-pro', 'llama-3.3-70b']
const teams = Array.from({ length: 40 }, (_, i) => `team-${i}`)
const actions = ['refund', 'send_email', 'delete_record', 'deploy', 'transfer']

/** What security teams write, in about the shares in which they do. */
const typical: readonly ((random: Random) => string)[] = [
  (random) => `run.model == "${random.pick(models)}" && run.department_id == "${random.pick(teams)}"`,
  (random) =>
    `run.model in ["${random.pick(models)}", "${random.pick(models)}"] && run.input_tokens > ${random.between(100, 900)}000`,
  (random) => `run.provider == "openai" && run.estimated_cost_usd > ${random.between(5, 50)}.5 && key.role != "owner"`,
  (random) => `run.action == "${random.pick(actions)}" && !("reviewed" in run.tags)`,
  (random) => `run.action == "${random.pick(actions)}" && (time.hour < 6 || time.hour >= 22 || time.weekday > 5)`,
  (random) => `customer.id == "customer-${random.int(200)}" && run.max_output_tokens > ${random.between(10, 90)}00`,
  (random) => `run.workflow_id == "${random.pick(teams)}-flow" && chain.depth > ${random.between(5, 20)}`,
  (random) =>
    `has(run.metadata.environment) && run.metadata.environment == "prod-${random.int(9)}" && run.model.startsWith("llama")`,
  (random) => `run.tags.exists(t, t.startsWith("pii-${random.int(9)}")) && run.provider != "azure"`,
  (random) => `chain.cost_usd > ${random.between(50, 500)} || chain.depth > ${random.between(40, 60)}`,
  (random) =>
    `re2(run.model, "^gpt-[0-9]+-preview-${random.int(9)}") && run.department_id in ["${random.pick(teams)}", "${random.pick(teams)}"]`,
]

const rulesOf = (random: Random, count: number): Rule[] =>
  Array.from({ length: count }, (_, i) => ({
    id: String(i).padStart(6, '0'),
    name: `rule ${i}`,
    effect: effects[i % 3]!,
    target: 'model',
    priority: i,
    expression: typical[i % typical.length]!(random),
    reason: '',
    enabled: true,
    shadow: false,
    version: 1,
  }))

const attemptOf = (random: Random): RunAttempt => ({
  atMs: Date.UTC(2026, 10, 16, 9) + random.int(28_800_000),
  model: random.pick(models),
  provider: random.pick(['openai', 'anthropic', 'google', 'azure']),
  operation: 'chat',
  action: random.chance(0.2) ? random.pick(actions) : '',
  workflowId: `${random.pick(teams)}-flow`,
  deploymentId: '',
  departmentId: random.pick(teams),
  customerId: `customer-${random.int(2_000)}`,
  userId: '',
  inputTokens: random.int(50_000),
  maxOutputTokens: random.int(4_000),
  estimatedNano: BigInt(random.int(2_000_000_000)),
  tags: random.some(['beta', 'batch', 'eu', 'reviewed'], 0.4),
  metadata: { environment: 'staging', release: '2026-11', retries: random.int(4) },
  key: { id: 'key_1', role: 'service', scopes: ['runs:write'] },
  chain: { id: '', depth: random.between(1, 4), costNano: BigInt(random.int(1_000_000_000)) },
})

/** `pnpm bench policies`: attempts judged in process, against the bare library that evaluates the same expressions one by one. */
export async function benchPolicies({ smoke }: { smoke: boolean }) {
  const random = new Random(seed)
  const attempts = Array.from({ length: 2_000 }, () => attemptOf(random))
  const seconds = smoke ? 0.1 : 2
  const rounds = smoke ? 1 : 7
  for (const count of [100, 1_000]) {
    const rules = rulesOf(random, count)
    const started = performance.now()
    const set = compileRules(rules, about)
    const compiledMs = performance.now() - started
    const bare = bareRules(rules, attempts[0]!)
    const judge = (attempt: RunAttempt) => judgeAttempt(set, attempt).rule?.id ?? null
    for (const attempt of attempts)
      if (judge(attempt) !== bare(attempt)) throw new Error('The bare library decides otherwise.')
    const by = await alternate(rounds, {
      judged: async () => round(attempts, judge, seconds),
      bare: async () => round(attempts, bare, seconds),
    })
    const ratio = ratioOf(by.judged, by.bare, count === 100 ? { bar: ratioBar, smoke } : { smoke })
    console.log(`${count} rules, cost ${set.cost}, compiled in ${compiledMs.toFixed(0)} ms: ${described(by.judged)}`)
    console.log(`the bare library: ${rateOf(by.bare)}; ${ratio}`)
    if (count === 100) await tail(attempts, judge, smoke)
    else console.log(`goal ${goal}/s in one process`)
  }
}

async function tail(attempts: readonly RunAttempt[], judge: (attempt: RunAttempt) => unknown, smoke: boolean) {
  const times: number[] = []
  for (let i = 0; i < (smoke ? 5_000 : 500_000); i++) {
    const started = performance.now()
    judge(attempts[i % attempts.length]!)
    times.push(performance.now() - started)
  }
  const { p50, p99 } = percentiles(times)
  console.log(
    `each by itself: p50 ${(1_000 * p50).toFixed(1)} µs, p99 ${(1_000 * p99).toFixed(1)} µs (bar ${p99BarMs} ms)`,
  )
  if (!smoke && p99 >= p99BarMs) process.exitCode = 1
}

function round(attempts: readonly RunAttempt[], judge: (attempt: RunAttempt) => unknown, seconds: number): Round {
  const started = performance.now()
  let count = 0
  while (performance.now() - started < 1_000 * seconds) {
    for (let i = 0; i < 50; i++) judge(attempts[(count + i) % attempts.length]!)
    count += 50
  }
  return { rate: (1_000 * count) / (performance.now() - started) }
}

/** The library by itself: the same variables, of the same classes, and every expression in its order until one is true. */
function bareRules(rules: readonly Rule[], sample: RunAttempt): (attempt: RunAttempt) => string | null {
  const environment = new Environment()
  const patterns = new Map<string, RE2JS>()
  environment.registerFunction('re2(string, string): bool', (text: string, pattern: string) => {
    const compiled = patterns.get(pattern) ?? RE2JS.compile(pattern)
    patterns.set(pattern, compiled)
    return compiled.test(text)
  })
  const org = new OrgVariables(about.orgId)
  const variables = new AttemptVariables(org, about.timezone, sample)
  const types = {
    int: 'int',
    double: 'double',
    bool: 'bool',
    string: 'string',
    strings: 'list<string>',
    values: 'map<string, dyn>',
  }
  for (const [name, fields] of ruleEnvironment.variables) {
    const { constructor: ctor } = variables[name as keyof AttemptVariables] as object as {
      constructor: new () => object
    }
    const typed = [...fields].map(([field, { kind }]) => [field, types[kind]] as const)
    environment.registerType(name, { ctor, fields: Object.fromEntries(typed) }).registerVariable(name, name)
  }
  const parsed = rules.map(({ id, expression }) => ({ id, ask: environment.parse(expression) }))
  for (const { ask } of parsed) if (!ask.check().valid) throw new Error('The bare library refuses an expression.')
  return (attempt) => {
    const given = new AttemptVariables(org, about.timezone, attempt)
    for (const { id, ask } of parsed) if (ask(given) === true) return id
    return null
  }
}
