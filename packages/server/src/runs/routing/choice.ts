import type { ApiError } from '../../contract/errors.ts'
import { maxChargeNano } from '../../values/money.ts'
import { runToCompletion } from '../../values/steps.ts'
import { barReasons } from './bar.ts'
import type { ExclusionReason } from './reasons.ts'
import { type Constraints, type EvalScore, modelKey, type RoutableModel, type RouteDefinition } from './route.ts'
import { drawOrder } from './weighted-draw.ts'

/** The error of a rule that refuses a model. A rule that fails to evaluate neither allows nor refuses, and aborts the choice. */
export type ModelRefusal = ApiError<'policy_blocked' | 'policy_approval_required' | 'policy_expression_error'>

export interface ChoiceInput {
  readonly route: RouteDefinition
  /** All models of the organization. */
  readonly models: readonly RoutableModel[]
  /** Returns the latest result of a model in the suite of the route's bar. */
  readonly latestEval: (model: RoutableModel) => EvalScore | undefined
  /**
   * Returns the highest cost of the call, or null for a model without a price. Called only for models that pass every other
   * check.
   */
  readonly quote: (model: RoutableModel) => bigint | null
  /** Returns the refusal of a rule, or null. Called last, in the order of the strategy, and only for as many models as needed. */
  readonly policy: (model: RoutableModel, quotedNano: bigint) => ModelRefusal | null
  /** The region that models must be in under strict data residency; null means any. */
  readonly residency: string | null
  readonly request: { readonly inputTokens?: number | undefined; readonly maxOutputTokens?: number | undefined }
  readonly nowMs: number
  /** A number in [0, 1) that selects among weighted models. The same ticket selects the same model. */
  readonly ticket: number
  /** The number of further models to return after the first. */
  readonly mostRunnersUp: number
}

/** A model that may be chosen, with the values that it is ranked by. */
export interface Eligible {
  readonly model: RoutableModel
  readonly quotedNano: bigint
  readonly score: number | null
  readonly latencyMs: number | null
}

export interface Excluded {
  readonly model: Pick<RoutableModel, 'model' | 'provider'>
  readonly reasons: readonly ExclusionReason[]
}

export interface Choice {
  readonly chosen: Eligible | null
  /** The next models in order. */
  readonly runnersUp: readonly Eligible[]
  /** Models that pass the bar and the constraints, but were not checked against rules because enough others were found. */
  readonly unasked: readonly Eligible[]
  readonly excluded: readonly Excluded[]
  /** The reason that none was chosen: no model passes, or rules refuse all that do, and this is their refusal. */
  readonly cause: 'none_passes' | ModelRefusal | null
}

/**
 * Chooses the model for a run: the first by the route's strategy among those that pass its bar, its constraints and the
 * organization's rules. A model that does not pass is never chosen, whatever it costs. Pure: equal inputs give equal choices.
 */
export const chooseModel = (asked: ChoiceInput): Choice => runToCompletion(chooseInSteps(asked))

/**
 * Does the same, yielding to other work between models: up to a thousand rules may be evaluated for each of hundreds of models.
 */
export function* chooseInSteps(asked: ChoiceInput): Generator<void, Choice> {
  const excluded: Excluded[] = []
  const eligible: Eligible[] = []
  for (const found of candidatesOf(asked.route, asked.models)) {
    const judged = judgeModel(asked, found)
    if ('reasons' in judged) excluded.push(judged)
    else eligible.push(judged)
  }
  const ordered = rankEligible(asked, eligible)
  const { passing, refused, unasked } = yield* checkPolicies(asked, ordered)
  const [chosen = null, ...runnersUp] = passing
  // A refusal that an approval could clear is more useful than a final one.
  const approvable = refused.find(({ refusal }) => refusal.code === 'policy_approval_required')
  const cause = chosen ? null : ((approvable ?? refused[0])?.refusal ?? 'none_passes')
  const refusals = refused.map(({ of: { model }, refusal }): Excluded => ({ model, reasons: [policyReason(refusal)] }))
  return { chosen, runnersUp, unasked, excluded: [...excluded, ...refusals], cause }
}

/** Returns the cheaper models that may be chosen too, the most expensive first, at most `most`. */
export const cheaperThan = (choice: Choice, asked: ChoiceInput, most: number): Eligible[] =>
  runToCompletion(cheaperInSteps(choice, asked, most))

export function* cheaperInSteps(
  { chosen, runnersUp, unasked }: Choice,
  asked: ChoiceInput,
  most: number,
): Generator<void, Eligible[]> {
  if (!chosen) return []
  const known = new Set(runnersUp)
  const costLess = [...runnersUp, ...unasked]
    .filter(({ quotedNano }) => quotedNano < chosen.quotedNano)
    .sort((a, b) => compare(b.quotedNano, a.quotedNano) || byName(a, b))
  const found: Eligible[] = []
  for (const each of costLess) {
    if (found.length === most) break
    if (known.has(each) || asked.policy(each.model, each.quotedNano) === null) found.push(each)
    yield
  }
  return found
}

interface NamedCandidate {
  readonly name: Pick<RoutableModel, 'model' | 'provider'>
  readonly model: RoutableModel | undefined
}

function candidatesOf({ candidates }: RouteDefinition, models: readonly RoutableModel[]): NamedCandidate[] {
  if (candidates === null) return models.map((model) => ({ name: model, model }))
  const byKey = indexByKey(models)
  return candidates.map(({ model, provider }) => ({
    name: { model, provider },
    model: byKey.get(modelKey({ model, provider })),
  }))
}

const indexes = new WeakMap<readonly RoutableModel[], ReadonlyMap<string, RoutableModel>>()

/** Indexes a list of models. The list is cached and shared by many choices, so its index is cached too. */
function indexByKey(models: readonly RoutableModel[]): ReadonlyMap<string, RoutableModel> {
  const known = indexes.get(models) ?? new Map(models.map((model) => [modelKey(model), model]))
  indexes.set(models, known)
  return known
}

function judgeModel(asked: ChoiceInput, { name, model }: NamedCandidate): Eligible | Excluded {
  if (!model) return { model: name, reasons: [{ code: 'unknown', had: null, needed: null }] }
  const { bar, constraints } = asked.route
  const latest = bar ? asked.latestEval(model) : undefined
  const latencyMs = latest?.latencyMs ?? model.latencyMs
  const reasons: ExclusionReason[] = [
    ...(model.enabled ? [] : [{ code: 'disabled', had: null, needed: null } as const]),
    ...(bar ? barReasons(bar, latest, asked.nowMs) : []),
    ...regionReasons(asked, model),
    ...capabilityReasons(constraints, model, latencyMs),
    ...contextReasons(asked, model),
  ]
  if (reasons.length > 0) return { model, reasons }
  const quotedNano = asked.quote(model)
  if (quotedNano === null) return { model, reasons: [{ code: 'unpriced', had: null, needed: null }] }
  const { maxPriceNano } = constraints
  const mostNano = maxPriceNano !== null && maxPriceNano < maxChargeNano ? maxPriceNano : maxChargeNano
  if (quotedNano > mostNano) return { model, reasons: [{ code: 'price', had: quotedNano, needed: mostNano }] }
  return { model, quotedNano, score: latest?.score ?? null, latencyMs }
}

function regionReasons({ route, residency }: ChoiceInput, { region }: RoutableModel): ExclusionReason[] {
  const { regions } = route.constraints
  if (residency !== null && region !== residency) return [{ code: 'residency', had: region, needed: residency }]
  if (regions.length > 0 && (region === null || !regions.includes(region)))
    return [{ code: 'region', had: region, needed: regions.join(', ') }]
  return []
}

function capabilityReasons(
  constraints: Constraints,
  model: RoutableModel,
  latencyMs: number | null,
): ExclusionReason[] {
  const reasons: ExclusionReason[] = []
  const missing = constraints.capabilities.filter((name) => !model.capabilities.includes(name))
  if (missing.length > 0) reasons.push({ code: 'missing_capability', had: null, needed: missing.join(', ') })
  const { maxLatencyMs } = constraints
  if (maxLatencyMs !== null && (latencyMs === null || latencyMs > maxLatencyMs))
    reasons.push({ code: 'latency', had: latencyMs, needed: maxLatencyMs })
  return reasons
}

/** Checks the context size. A model with an unknown size passes, unless the route requires a size. */
function contextReasons({ route, request }: ChoiceInput, { contextTokens }: RoutableModel): ExclusionReason[] {
  const { minContextTokens } = route.constraints
  const called = (request.inputTokens ?? 0) + (request.maxOutputTokens ?? 0)
  const needed = Math.max(minContextTokens ?? 0, called)
  const isTooSmall = contextTokens === null ? minContextTokens !== null : contextTokens < needed
  return isTooSmall ? [{ code: 'context', had: contextTokens, needed }] : []
}

const policyReason = ({ code, message }: ModelRefusal): ExclusionReason => ({
  code: code === 'policy_blocked' ? 'policy_blocked' : 'policy_approval_required',
  had: message,
  needed: null,
})

const compare = <T extends number | bigint | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

const byPrice = (a: Eligible, b: Eligible) => compare(a.quotedNano, b.quotedNano)
/** Unknown values come last. */
const byLatency = (a: Eligible, b: Eligible) => compare(a.latencyMs ?? Infinity, b.latencyMs ?? Infinity)
const byScore = (a: Eligible, b: Eligible) => compare(b.score ?? -Infinity, a.score ?? -Infinity)
const byName = (a: Eligible, b: Eligible) =>
  compare(a.model.model, b.model.model) || compare(a.model.provider ?? '', b.model.provider ?? '')

/** The comparisons of each strategy. Ties are broken by the other criteria, and finally by name. */
const orders = {
  cheapest: [byPrice, byScore, byLatency, byName],
  fastest: [byLatency, byPrice, byScore, byName],
  best: [byScore, byPrice, byLatency, byName],
}

function rankEligible({ route, ticket }: ChoiceInput, eligible: readonly Eligible[]): Eligible[] {
  if (route.strategy === 'weighted') {
    const weights = new Map((route.candidates ?? []).map((candidate) => [modelKey(candidate), candidate.weight ?? 0]))
    return drawOrder(eligible, ticket, ({ model }) => ({
      name: modelKey(model),
      weight: weights.get(modelKey(model)) ?? 0,
    }))
  }
  const order = orders[route.strategy]
  return eligible.toSorted((a, b) => {
    for (const by of order) {
      const difference = by(a, b)
      if (difference !== 0) return difference
    }
    return 0
  })
}

function* checkPolicies({ policy, mostRunnersUp }: ChoiceInput, ordered: readonly Eligible[]) {
  const passing: Eligible[] = []
  const refused: { of: Eligible; refusal: ModelRefusal }[] = []
  for (const [i, of] of ordered.entries()) {
    if (passing.length > mostRunnersUp) return { passing, refused, unasked: ordered.slice(i) }
    const refusal = policy(of.model, of.quotedNano)
    if (refusal?.code === 'policy_expression_error') throw refusal
    if (refusal) refused.push({ of, refusal })
    else passing.push(of)
    yield
  }
  return { passing, refused, unasked: [] }
}
