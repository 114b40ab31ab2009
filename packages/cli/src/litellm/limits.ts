import { usdOfNanos } from '../output/amounts.ts'
import { fieldOf, isRecord, type Json, textOf } from '../values.ts'
import { labelOf, timeOf } from './labels.ts'
import { nanosOf, spentNanos } from './nanos.ts'
import type { Notes } from './notes.ts'
import { type Period, periodOf } from './periods.ts'

/** A scope as the API names it. That of a key has no id before the key is there. */
export type Scope = Readonly<Record<string, string>>

/** A limit that is to be there, with what LiteLLM has counted against it. */
export interface LimitPlan {
  readonly what: string
  readonly scope: Scope
  readonly period: Period
  readonly body: Json
  readonly spent: bigint
  readonly isBlocked: boolean
}

const largest = 8_999_999_999_999_999_999n
const atMost = (nanos: bigint) => (nanos > largest ? largest : nanos)

/** The terms of a budget in LiteLLM. */
export interface Terms {
  readonly max: bigint | undefined
  readonly soft: bigint | undefined
  readonly duration: string | undefined
  readonly spent: bigint
  readonly since: Date | undefined
}

export const termsOf = (budget: Json, spender: Json): Terms => ({
  max: nanosOf(fieldOf(budget, 'max_budget')),
  soft: nanosOf(fieldOf(budget, 'soft_budget')),
  duration: textOf(budget, 'budget_duration') || undefined,
  spent: atMost(spentNanos(fieldOf(spender, 'spend'))),
  since: timeOf(textOf(spender, 'created_at')) ?? timeOf(textOf(budget, 'created_at')),
})

interface Limited {
  readonly scope: Scope
  readonly name: string
  readonly what: string
  readonly terms: Terms
  readonly isBlocked?: boolean
}

/** Adds the limit of a budget, where there is one. */
export function addTerms(limits: LimitPlan[], { scope, name, what, terms, isBlocked = false }: Limited, notes: Notes) {
  const { max, soft, duration, spent, since } = terms
  if (max === undefined && soft === undefined && !isBlocked) return
  const { period, difference } = periodOf(duration)
  const isForEver = duration === undefined && !isBlocked && since !== undefined && since.getUTCFullYear() <= 9_999
  if (difference !== undefined && !isBlocked) notes.say(`a budget that ${difference}`)
  const alertsOnly = max === undefined && soft !== undefined && !isBlocked
  const wanted = max ?? (alertsOnly ? soft : 0n) ?? 0n
  const limit = wanted < 0n ? 0n : atMost(wanted)
  const thresholds = max === undefined || soft === undefined || max <= 0n || soft <= 0n ? [] : [percentOf(soft, max)]
  const isCustomer = scope['customer_id'] !== undefined
  if (alertsOnly && isCustomer) return notes.add('soft budgets of end users without a budget', what)
  const body = {
    limit_usd: usdOfNanos(limit),
    thresholds: alertsOnly ? [100] : thresholds,
    // A budget for ever begins anew on the day on which its owner was made.
    ...(isForEver && since && { anchor: since.toISOString().slice(0, 10).replace('-02-29', '-02-28') }),
    ...(!isCustomer && { name: labelOf(name, 100) ?? 'LiteLLM', enforcement: alertsOnly ? 'alert' : 'block' }),
  }
  limits.push({ what, scope, period, body, spent, isBlocked })
}

/** Returns the share of a budget at which it warns, rounded down: rather too early than too late. */
const percentOf = (soft: bigint, max: bigint) => Math.max(1, Math.min(100, Number((soft * 100n) / max)))

/** Adds budgets of models. What was spent of them LiteLLM has in its cache alone, so they begin with nothing. */
export function addModelBudgets(
  limits: LimitPlan[],
  { scope, name, what, row }: Omit<Limited, 'terms'> & { readonly row: Json },
  notes: Notes,
) {
  const budgets = fieldOf(row, 'model_max_budget')
  if (!isRecord(budgets)) return
  for (const [model, given] of Object.entries(budgets)) {
    const id = labelOf(model)
    const config = isRecord(given) ? given : { max_budget: given }
    const max = nanosOf(fieldOf(config, 'max_budget') ?? fieldOf(config, 'budget_limit'))
    if (id === undefined || max === undefined) {
      notes.add('budgets of models without an amount', what)
      continue
    }
    notes.say('budgets of models begin with nothing spent: LiteLLM keeps what was spent in its cache alone')
    const duration = textOf(config, 'budget_duration') || textOf(config, 'time_period') || undefined
    const terms = { max, soft: undefined, duration, spent: 0n, since: timeOf(textOf(row, 'created_at')) }
    const both = { ...scope, and_scope_kind: 'model', and_scope_id: id }
    addTerms(limits, { scope: both, name: `${name}, ${model}`, what: `${what}, model ${model}`, terms }, notes)
  }
}
