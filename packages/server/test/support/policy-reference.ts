import type { RunAttempt } from '../../src/governance/policies/attempt.ts'
import { effects, type PolicyVerdict, type Rule, targets } from '../../src/governance/policies/rule.ts'
import { canonicalModel } from '../../src/money/prices/prices.ts'
import type { Random } from './random.ts'

/**
 * A second reading of the rules, written without CEL: conditions are trees of its own, which it writes down as CEL for the service
 * and interprets by itself, one rule after another, anew for every attempt.
 */

export type Literal = string | number | boolean

export type Condition =
  | {
      readonly kind: 'text'
      readonly field: TextField
      readonly values: readonly string[]
      readonly form: 'equal' | 'reversed' | 'unequal' | 'in' | 'or'
    }
  | {
      readonly kind: 'number'
      readonly field: NumberField
      readonly sign: Sign
      readonly value: number
      readonly isReversed: boolean
    }
  | { readonly kind: 'metadata'; readonly key: string; readonly sign: Sign | '==' | '!='; readonly value: Literal }
  | { readonly kind: 'has'; readonly key: string }
  | { readonly kind: 'tag'; readonly value: string }
  | { readonly kind: 'tags'; readonly quantifier: 'exists' | 'all'; readonly test: TagTest }
  | {
      readonly kind: 'method'
      readonly field: TextField
      readonly method: 'startsWith' | 'endsWith' | 'contains'
      readonly value: string
    }
  | { readonly kind: 'pattern'; readonly field: TextField; readonly value: string }
  | { readonly kind: 'share'; readonly least: number }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'and'; readonly of: readonly Condition[] }
  | { readonly kind: 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'if'; readonly of: readonly [Condition, Condition, Condition] }

/** Of one tag: what it begins with, or what the metadata of that name is. */
type TagTest = { readonly prefix: string } | { readonly metadata: Literal }
type Sign = '<' | '<=' | '>' | '>='

const signs = ['<', '<=', '>', '>='] as const
const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const
const texts = {
  'run.model': (attempt: RunAttempt) => attempt.model,
  'run.provider': (attempt: RunAttempt) => attempt.provider || canonicalModel(attempt.model, '').provider,
  'run.operation': (attempt: RunAttempt) => attempt.operation,
  'run.action': (attempt: RunAttempt) => attempt.action,
  'run.workflow_id': (attempt: RunAttempt) => attempt.workflowId,
  'run.deployment_id': (attempt: RunAttempt) => attempt.deploymentId,
  'run.department_id': (attempt: RunAttempt) => attempt.departmentId,
  'run.user_id': (attempt: RunAttempt) => attempt.userId,
  'customer.id': (attempt: RunAttempt) => attempt.customerId,
  'key.id': (attempt: RunAttempt) => attempt.key.id,
  'key.role': (attempt: RunAttempt) => attempt.key.role,
  'chain.id': (attempt: RunAttempt) => attempt.chain.id,
} as const
type TextField = keyof typeof texts

/** The attempts of these tests are in UTC+14, where it is tomorrow for most of the day. */
export const timezone = 'Pacific/Kiritimati'
const local = ({ atMs }: RunAttempt) => new Date(atMs + 14 * 3_600_000)
const numbers = {
  'run.input_tokens': (attempt: RunAttempt) => attempt.inputTokens,
  'run.max_output_tokens': (attempt: RunAttempt) => attempt.maxOutputTokens,
  'run.estimated_cost_usd': (attempt: RunAttempt) => Number(attempt.estimatedNano) / 1e9,
  'chain.depth': (attempt: RunAttempt) => attempt.chain.depth,
  'chain.cost_usd': (attempt: RunAttempt) => Number(attempt.chain.costNano) / 1e9,
  'time.hour': (attempt: RunAttempt) => local(attempt).getUTCHours(),
  'time.weekday': (attempt: RunAttempt) => ((local(attempt).getUTCDay() + 6) % 7) + 1,
  'time.day': (attempt: RunAttempt) => local(attempt).getUTCDate(),
} as const
type NumberField = keyof typeof numbers

const values = ['a', 'b', 'c', 'gpt-4o', '']
const keys = ['a', 'b', 'constructor', 'toString']
const literals: readonly Literal[] = ['a', 'b', 0, 1, 2.5, true, false]

export function randomCondition(random: Random, depth: number): Condition {
  const field = random.pick(Object.keys(texts) as TextField[])
  const below = () => randomCondition(random, depth - 1)
  const several = () => Array.from({ length: random.between(2, 4) }, below)
  const leaves: (() => Condition)[] = [
    () => textCondition(random, field),
    () => textCondition(random, field),
    () => ({
      kind: 'number',
      field: random.pick(Object.keys(numbers) as NumberField[]),
      sign: random.pick(signs),
      value: random.pick([0, 1, 3, 12, 0.5, -1]),
      isReversed: random.chance(0.3),
    }),
    () => ({
      kind: 'metadata',
      key: random.pick(keys),
      sign: random.pick([...signs, '==', '==', '!=']),
      value: random.pick(literals),
    }),
    () => ({ kind: 'has', key: random.pick(keys) }),
    () => ({ kind: 'tag', value: random.pick(values) }),
    () => ({
      kind: 'tags',
      quantifier: random.pick(['exists', 'all']),
      test: random.chance(0.5) ? { prefix: random.pick(['a', 'g']) } : { metadata: random.pick(literals) },
    }),
    () => ({
      kind: 'method',
      field,
      method: random.pick(['startsWith', 'endsWith', 'contains']),
      value: random.pick(['a', 'gpt', 'o', '']),
    }),
    () => ({ kind: 'pattern', field, value: random.pick(['^gpt-[0-9]', 'b$', '^(a|b)*$']) }),
    () => ({ kind: 'share', least: random.pick([0, 1, 2]) }),
  ]
  const branches: (() => Condition)[] = [
    () => ({ kind: 'not', of: below() }),
    () => ({ kind: 'and', of: several() }),
    () => ({ kind: 'and', of: several() }),
    () => ({ kind: 'or', of: several() }),
    () => ({ kind: 'if', of: [below(), below(), below()] }),
  ]
  return random.pick(depth > 0 && random.chance(0.7) ? branches : leaves)()
}

function textCondition(random: Random, field: TextField): Condition {
  const form = random.pick(['equal', 'equal', 'reversed', 'unequal', 'in', 'or'] as const)
  const count = form === 'in' ? random.between(0, 3) : form === 'or' ? random.between(2, 3) : 1
  return { kind: 'text', field, form, values: Array.from({ length: count }, () => random.pick(values)) }
}

const quoted = (value: Literal) => JSON.stringify(value)

type Of<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>
type ByKind<Result extends unknown[], Answered> = {
  readonly [Kind in Condition['kind']]: (condition: Of<Kind>, ...rest: Result) => Answered
}

const joined = (sign: string) => (condition: Of<'and' | 'or'>) =>
  condition.of.map((part) => `(${written(part)})`).join(sign)

const writers: ByKind<[], string> = {
  text: ({ field, values: wanted, form }) => {
    if (form === 'in') return `${field} in [${wanted.map(quoted).join(', ')}]`
    if (form === 'unequal') return `${field} != ${quoted(wanted[0]!)}`
    if (form === 'reversed') return `${quoted(wanted[0]!)} == ${field}`
    const all = wanted.map((value) => `${field} == ${quoted(value)}`).join(' || ')
    return form === 'or' ? `(${all})` : all
  },
  number: ({ field, sign, value, isReversed }) =>
    isReversed ? `${value} ${mirrored[sign]} ${field}` : `${field} ${sign} ${value}`,
  metadata: ({ key, sign, value }) => `run.metadata.${key} ${sign} ${quoted(value)}`,
  has: ({ key }) => `has(run.metadata.${key})`,
  tag: ({ value }) => `${quoted(value)} in run.tags`,
  tags: ({ test, quantifier }) => {
    const isPrefix = 'prefix' in test
    const body = isPrefix ? `t.startsWith(${quoted(test.prefix)})` : `run.metadata[t] == ${quoted(test.metadata)}`
    return `run.tags.${quantifier}(t, ${body})`
  },
  method: ({ field, method, value }) => `${field}.${method}(${quoted(value)})`,
  pattern: ({ field, value }) => `${field}.re2(${quoted(value)})`,
  share: ({ least }) => `run.input_tokens / run.max_output_tokens >= ${least}`,
  not: ({ of }) => `!(${written(of)})`,
  and: joined(' && '),
  or: joined(' || '),
  if: ({ of: [test, yes, no] }) => `(${written(test)}) ? (${written(yes)}) : (${written(no)})`,
}

/** The condition in CEL. */
export const written = (condition: Condition): string =>
  (writers[condition.kind] as (condition: Condition) => string)(condition)

export type Answer = boolean | 'failed'

const readers: ByKind<[attempt: RunAttempt], Answer> = {
  text: ({ field, values: wanted, form }, attempt) => wanted.includes(texts[field](attempt)) !== (form === 'unequal'),
  number: ({ field, sign, value }, attempt) => compared(numbers[field](attempt), sign, value),
  metadata: ({ key, sign, value }, attempt) => ofMetadata(attempt, key, sign, value),
  has: ({ key }, attempt) => Object.hasOwn(attempt.metadata, key),
  tag: ({ value }, attempt) => attempt.tags.includes(value),
  tags: ({ test, quantifier }, attempt) => {
    const each = attempt.tags.map((tag) =>
      'prefix' in test ? tag.startsWith(test.prefix) : ofMetadata(attempt, tag, '==', test.metadata),
    )
    return combined(each, quantifier === 'exists')
  },
  method: ({ field, method, value }, attempt) => {
    const text = texts[field](attempt)
    if (method === 'contains') return text.includes(value)
    return method === 'startsWith' ? text.startsWith(value) : text.endsWith(value)
  },
  pattern: ({ field, value }, attempt) => new RegExp(value).test(texts[field](attempt)),
  share: ({ least }, { inputTokens, maxOutputTokens }) =>
    maxOutputTokens === 0 ? 'failed' : Math.floor(inputTokens / maxOutputTokens) >= least,
  not: ({ of }, attempt) => {
    const answer = interpreted(of, attempt)
    return answer === 'failed' ? answer : !answer
  },
  and: ({ of }, attempt) =>
    combined(
      of.map((part) => interpreted(part, attempt)),
      false,
    ),
  or: ({ of }, attempt) =>
    combined(
      of.map((part) => interpreted(part, attempt)),
      true,
    ),
  if: ({ of: [test, yes, no] }, attempt) => {
    const answer = interpreted(test, attempt)
    return answer === 'failed' ? answer : interpreted(answer ? yes : no, attempt)
  },
}

/** What the condition says of an attempt. */
export const interpreted = (condition: Condition, attempt: RunAttempt): Answer =>
  (readers[condition.kind] as (condition: Condition, attempt: RunAttempt) => Answer)(condition, attempt)

/** One answer that settles it is enough, whatever the others failed with. */
function combined(answers: readonly Answer[], settling: boolean): Answer {
  if (answers.includes(settling)) return settling
  return answers.includes('failed') ? 'failed' : !settling
}

function ofMetadata({ metadata }: RunAttempt, key: string, sign: Sign | '==' | '!=', value: Literal): Answer {
  if (!Object.hasOwn(metadata, key)) return 'failed'
  const found = metadata[key]!
  if (sign === '==') return found === value
  if (sign === '!=') return found !== value
  return typeof found === typeof value ? compared(found, sign, value) : 'failed'
}

function compared(a: Literal, sign: Sign, b: Literal): boolean {
  if (a === b) return sign === '<=' || sign === '>='
  return (sign === '<' || sign === '<=') === a < b
}

export interface ReferenceRule extends Rule {
  readonly condition: Condition
}

export function randomRules(random: Random): ReferenceRule[] {
  const count = random.chance(0.1) ? random.between(60, 130) : random.between(0, 25)
  return Array.from({ length: count }, () => {
    const condition = randomCondition(random, random.between(0, 3))
    return {
      id: random.uuid(),
      name: 'rule',
      effect: random.pick(effects),
      target: random.pick(targets),
      priority: random.between(-3, 3),
      condition,
      expression: written(condition),
      reason: '',
      enabled: random.chance(0.85),
      shadow: random.chance(0.3),
      version: 1,
    }
  })
}

export function randomAttempt(random: Random): RunAttempt {
  const text = () => random.pick(values)
  return {
    atMs: Date.UTC(2020) + random.int(400_000_000) * 1_000,
    model: text(),
    provider: text(),
    operation: text(),
    action: random.pick(['', '', 'a', 'b']),
    workflowId: text(),
    deploymentId: text(),
    departmentId: text(),
    userId: text(),
    customerId: text(),
    inputTokens: random.int(5),
    maxOutputTokens: random.int(3),
    estimatedNano: BigInt(random.int(4)) * 500_000_000n,
    tags: random.some(['a', 'b', 'c', 'gpt-4o', 'constructor'], 0.3),
    metadata: Object.fromEntries(random.some(keys, 0.6).map((key) => [key, random.pick(literals)])),
    key: { id: text(), role: text(), scopes: [] },
    chain: { id: text(), depth: random.between(1, 4), costNano: BigInt(random.int(4)) * 500_000_000n },
  }
}

/** What rules say, in the plainest way. */
export function referenceVerdict(rules: readonly ReferenceRule[], attempt: RunAttempt): PolicyVerdict {
  let waiting = rules.filter(({ enabled }) => enabled)
  let shadow: PolicyVerdict['shadow'] = null
  while (waiting.length > 0) {
    let next = waiting[0]!
    for (const rule of waiting)
      if (rule.priority < next.priority || (rule.priority === next.priority && rule.id < next.id)) next = rule
    waiting = waiting.filter((rule) => rule !== next)
    const answer = statusOf(next, attempt)
    if (answer !== 'matched' && answer !== 'failed') continue
    const outcome = answer === 'failed' ? 'error' : next.effect
    if (!next.shadow) return { outcome, rule: next, shadow }
    if (shadow === null) shadow = { rule: next, outcome }
  }
  return { outcome: 'allow', rule: null, shadow }
}

export function statusOf({ enabled, target, condition }: ReferenceRule, attempt: RunAttempt) {
  if (!enabled) return 'disabled'
  if (target === 'action' && attempt.action === '') return 'not_applicable'
  const answer = interpreted(condition, attempt)
  if (answer === 'failed') return answer
  return answer ? 'matched' : 'not_matched'
}
