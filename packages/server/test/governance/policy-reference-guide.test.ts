import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RunAttempt } from '../../src/governance/policies/attempt.ts'
import { checkRule, compileRules, judgeAttempt } from '../../src/governance/policies/evaluation.ts'
import { ruleEnvironment } from '../../src/governance/policies/variables.ts'

const guide = readFileSync(new URL('../../../../docs/policy-expressions.md', import.meta.url), 'utf8')
const blocks = (mark: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${mark}\\n([^]*?)\\n\`\`\`$`, 'gm'))].map(([, text]) => text!)

const plain: RunAttempt = {
  atMs: Date.parse('2026-11-17T12:00:00Z'),
  model: 'gpt-4o',
  provider: 'openai',
  operation: 'chat',
  action: '',
  workflowId: '',
  deploymentId: '',
  departmentId: 'research',
  userId: 'ada',
  customerId: '',
  inputTokens: 0,
  maxOutputTokens: 0,
  estimatedNano: 0n,
  tags: [],
  metadata: {},
  key: { id: 'key_1', role: 'service', scopes: [] },
  chain: { id: '', depth: 1, costNano: 0n },
}

/** What an example is about, in the order of the guide. */
const matching: readonly Partial<RunAttempt>[] = [
  { departmentId: 'sales' },
  { model: 'o3' },
  { model: 'gemini-Preview-2' },
  { estimatedNano: 6_000_000_000n },
  { action: 'refund', atMs: Date.parse('2026-11-15T12:00:00Z') },
  { chain: { id: 'c', depth: 2, costNano: 21_000_000_000n } },
  { inputTokens: 60_000 },
  { tags: ['beta', 'pii-health'] },
  { metadata: { retries: 4 } },
  { customerId: 'acme', atMs: Date.parse('2026-12-31T22:00:00Z') },
]

function outcomeOf(expression: string, changed: Partial<RunAttempt>) {
  const rule = { id: '1', name: '', effect: 'block', target: 'model', priority: 1, reason: '', enabled: true } as const
  const set = compileRules([{ ...rule, expression, shadow: false, version: 1 }], {
    orgId: 'org_1',
    version: 1n,
    timezone: 'Europe/Berlin',
  })
  return judgeAttempt(set, { ...plain, ...changed }).outcome
}

test('every example of the guide matches what it is about, and nothing else', () => {
  const examples = blocks('cel example')
  expect(examples).toHaveLength(matching.length)
  for (const [i, example] of examples.entries()) {
    expect(outcomeOf(example, matching[i]!), example).toBe('block')
    expect(outcomeOf(example, {}), example).toBe('allow')
  }
})

test('every other expression of the guide can be saved, and what it says is refused is', () => {
  const texts = blocks('cel').flatMap((block) => block.split('\n'))
  expect(texts.length).toBeGreaterThan(2)
  for (const text of texts) expect(checkRule(text), text).toBeNull()
  for (const text of [
    'run.metadata.retries > 3',
    'run.estimated_cost_usd * 2 > 1',
    'chain.cost_usd / chain.depth > 0.5',
  ])
    expect(checkRule(text), text).toBeNull()
  expect(checkRule('run.estimated_cost_usd == 1.0')).toBeNull()
  for (const text of ['run.estimated_cost_usd == 1', 'run.model.matches("a")', 'run == run'])
    expect(checkRule(text), text).not.toBeNull()
})

test('the guide names every variable with its type, and no other', () => {
  const types = {
    int: 'int',
    double: 'double',
    bool: 'bool',
    string: 'string',
    strings: 'list of strings',
    values: 'map',
  }
  const rows = [...guide.matchAll(/^\| (`\w+\.[^|]*) \| ([^|]+) \|/gm)]
  const told = rows.flatMap(([, names, type]) =>
    [...names!.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => `${name}: ${type}`),
  )
  const declared = [...ruleEnvironment.variables].flatMap(([name, fields]) =>
    [...fields].map(([field, { kind }]) => `${name}.${field}: ${types[kind]}`),
  )
  expect(told.sort()).toEqual(declared.sort())
})
