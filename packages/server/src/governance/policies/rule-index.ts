import type { Requirement } from '../expressions/expressions.ts'
import { modelBaseOf, providerBaseOf, providerIn, type RunAttempt } from './attempt.ts'

/** The fields that rules are indexed by. */
const fields: Readonly<Record<string, (attempt: RunAttempt) => string>> = {
  'run.model': ({ model }) => model,
  'run.model_base': modelBaseOf,
  'run.provider': providerIn,
  'run.provider_base': providerBaseOf,
  'run.operation': ({ operation }) => operation,
  'run.action': ({ action }) => action,
  'run.workflow_id': ({ workflowId }) => workflowId,
  'run.deployment_id': ({ deploymentId }) => deploymentId,
  'run.department_id': ({ departmentId }) => departmentId,
  'run.user_id': ({ userId }) => userId,
  'customer.id': ({ customerId }) => customerId,
  'key.id': ({ key }) => key.id,
  'key.role': ({ key }) => key.role,
}

interface FieldIndex {
  readonly valueOf: (attempt: RunAttempt) => string
  /** A bit for each rule that does not restrict the field. */
  readonly indifferent: Int32Array
  /** The positions of the rules that require a value. */
  readonly requiring: ReadonlyMap<string, readonly number[]>
}

/** The properties of a rule that the index needs. */
export interface IndexableRule {
  readonly requirements: readonly Requirement[]
  readonly needsAction: boolean
}

/**
 * Finds the rules that can match an attempt. A rule that requires another value of an indexed field is false, whatever its other
 * conditions are.
 */
export interface CandidateIndex {
  /** Returns a bit for each rule, in their order. The array is valid until the next call. */
  readonly candidates: (attempt: RunAttempt) => Int32Array
}

export function indexRules(rules: readonly IndexableRule[]): CandidateIndex {
  const words = Math.ceil(rules.length / 32)
  const all = bitsOf(words, rules, () => true)
  const withoutAction = bitsOf(words, rules, ({ needsAction }) => !needsAction)
  const indexes = Object.entries(fields).flatMap(([path, valueOf]) => indexField(path, valueOf, rules, words) ?? [])
  const found = new Int32Array(words)
  const accepting = new Int32Array(words)
  return {
    candidates(attempt) {
      found.set(attempt.action === '' ? withoutAction : all)
      for (const { valueOf, indifferent, requiring } of indexes) {
        accepting.set(indifferent)
        const places = requiring.get(valueOf(attempt))
        if (places) for (const place of places) accepting[place >> 5]! |= 1 << (place & 31)
        for (let i = 0; i < words; i++) found[i]! &= accepting[i]!
      }
      return found
    },
  }
}

function bitsOf(words: number, rules: readonly IndexableRule[], has: (rule: IndexableRule) => boolean): Int32Array {
  const bits = new Int32Array(words)
  for (const [place, rule] of rules.entries()) if (has(rule)) bits[place >> 5]! |= 1 << (place & 31)
  return bits
}

function indexField(
  path: string,
  valueOf: FieldIndex['valueOf'],
  rules: readonly IndexableRule[],
  words: number,
): FieldIndex | null {
  const requirementOf = ({ requirements }: IndexableRule) =>
    requirements.find(({ variable, field }) => `${variable}.${field}` === path)
  const requiring = new Map<string, number[]>()
  for (const [place, rule] of rules.entries())
    for (const value of new Set(requirementOf(rule)?.values)) {
      const places = requiring.get(value)
      if (places) places.push(place)
      else requiring.set(value, [place])
    }
  const indifferent = bitsOf(words, rules, (rule) => requirementOf(rule) === undefined)
  const isUsed = rules.some((rule) => requirementOf(rule) !== undefined)
  return isUsed ? { valueOf, indifferent, requiring } : null
}
