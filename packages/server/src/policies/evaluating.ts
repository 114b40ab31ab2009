import type { Caller } from '../identity/identity.ts'
import { inSteps } from '../infra/turns.ts'
import { formatId } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { type Attempt, attemptOf, keyOf } from './attempt.ts'
import { explaining, type RuleSet } from './evaluation.ts'
import { attemptedBy, policyRefusal } from './refusal.ts'
import type { Rule } from './rule.ts'
import type { EvaluateInput, Evaluation } from './schema.ts'

/** Builds the attempt that an evaluation request describes. */
export const attemptIn = ({ run, key, chain, at }: EvaluateInput, caller: Caller, now: Date): Attempt =>
  attemptOf(run, {
    atMs: at === undefined ? now.getTime() : Date.parse(at),
    model: run.model,
    estimatedNano: parseUsd(run.estimated_cost_usd ?? '0'),
    key: { ...keyOf(caller), ...key },
    chain: { id: chain?.id ?? '', depth: chain?.depth ?? 1, costNano: parseUsd(chain?.cost_usd ?? '0') },
  })

/**
 * Explains for every rule whether it matches and why, and which one decides. A draft's rules are
 * referred to by their positions.
 */
export async function explain(
  set: RuleSet,
  attempt: Attempt,
  placeOf?: ReadonlyMap<string, number>,
): Promise<Evaluation> {
  const { verdict, rules } = await inSteps(explaining(set, attempt))
  const reference = ({ id, name }: Rule) => ({
    rule_id: placeOf ? null : formatId('rule', id),
    index: placeOf?.get(id) ?? null,
    name,
  })
  const { rule, shadow } = verdict
  return {
    outcome: verdict.outcome,
    decided_by: rule && { ...reference(rule), reason: rule.reason, attempted: attemptedBy(rule, attempt) },
    shadow: shadow && { ...reference(shadow.rule), outcome: shadow.outcome },
    error_code: policyRefusal(verdict, attempt)?.code ?? null,
    rules: rules.map(({ rule: each, status, decided, reached, why }) => ({
      ...reference(each),
      effect: each.effect,
      shadow: each.shadow,
      status,
      decided,
      reached,
      why,
    })),
    set_version: Number(set.version),
  }
}
