import type { Caller } from '../../access/identity/identity.ts'
import { runCooperatively } from '../../platform/infra/time-slice.ts'
import { formatId } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { attemptOf, callingKeyOf, type RunAttempt } from './attempt.ts'
import { explainInSteps, type RuleSet } from './evaluation.ts'
import { attemptedTarget, policyRefusal } from './refusal.ts'
import type { Rule } from './rule.ts'
import type { EvaluateInput, Evaluation } from './schema.ts'

/** Builds the attempt that an evaluation request describes. */
export const attemptFromInput = ({ run, key, chain, at }: EvaluateInput, caller: Caller, now: Date): RunAttempt =>
  attemptOf(run, {
    atMs: at === undefined ? now.getTime() : Date.parse(at),
    model: run.model,
    estimatedNano: parseUsd(run.estimated_cost_usd ?? '0'),
    key: { ...callingKeyOf(caller), ...key },
    chain: { id: chain?.id ?? '', depth: chain?.depth ?? 1, costNano: parseUsd(chain?.cost_usd ?? '0') },
  })

/**
 * Explains for every rule whether it matches and why, and which one decides. A draft's rules are
 * referred to by their positions.
 */
export async function explainRules(
  set: RuleSet,
  attempt: RunAttempt,
  positions?: ReadonlyMap<string, number>,
): Promise<Evaluation> {
  const { verdict, rules } = await runCooperatively(explainInSteps(set, attempt))
  const reference = ({ id, name }: Rule) => ({
    rule_id: positions ? null : formatId('rule', id),
    index: positions?.get(id) ?? null,
    name,
  })
  const { rule, shadow } = verdict
  return {
    outcome: verdict.outcome,
    decided_by: rule && { ...reference(rule), reason: rule.reason, attempted: attemptedTarget(rule, attempt) },
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
