import { isSameName } from '../../../money/prices/prices.ts'
import { present } from '../../../values/present.ts'
import { fitExponent, type TeamDay } from './team-growth.ts'

interface ScenarioBase {
  readonly name: string
  /** The start date. */
  readonly at: string
}

export interface TeamGrowth extends ScenarioBase {
  readonly kind: 'team_growth'
  readonly teamsNow: number
  readonly teamsThen: number
  /** null to fit it to the history. */
  readonly exponent: number | null
}
export interface PriceChange extends ScenarioBase {
  readonly kind: 'price_change'
  /** null for all models. */
  readonly model: string | null
  readonly input: number
  readonly output: number
}
export interface ModelSwitch extends ScenarioBase {
  readonly kind: 'model_switch'
  readonly from: string
  readonly to: string
  /** The share of `from`'s runs that are moved to `to`. */
  readonly share: number
}
export interface Launch extends ScenarioBase {
  readonly kind: 'launch'
  readonly dailyUsd: number | null
  readonly dailyRuns: number | null
  readonly rampDays: number
}
export interface Cap extends ScenarioBase {
  readonly kind: 'cap'
  readonly period: 'day' | 'month'
  readonly usd: number
}
/** A hypothetical change, with its start date. */
export type Scenario = TeamGrowth | PriceChange | ModelSwitch | Launch | Cap

/** The effect of a scenario on the days from its start on. */
export type ScenarioEffect =
  | { readonly kind: 'scale'; readonly factor: number }
  | { readonly kind: 'add'; readonly perDay: number; readonly rampDays: number }
  | { readonly kind: 'cap'; readonly period: 'day' | 'month'; readonly most: number }

/** The recent usage of one model, with its cost by the price book. */
export interface ModelUsage {
  readonly model: string
  readonly cost: number
  /** The input and output parts of the cost by the price book; null for a model without a price. */
  readonly inputCost: number | null
  readonly outputCost: number | null
  readonly inputTokens: number
  readonly outputTokens: number
  /** The cost of the same tokens on other models; null for one without a price. */
  readonly costOn: Readonly<Record<string, number | null>>
}

/** The history that scenarios build on: the last four weeks. */
export interface ScenarioBasis {
  readonly metric: 'cost' | 'runs' | 'tokens'
  readonly cost: number
  readonly runs: number
  readonly tokens: number
  readonly models: readonly ModelUsage[]
  /** null when no scenario needs them. */
  readonly teamDays: readonly TeamDay[] | null
}

export interface Formula {
  readonly effect: ScenarioEffect
  /** The parameters that were given, fitted or assumed, by name. */
  readonly parameters: Readonly<Record<string, number | string>>
  readonly notes: readonly string[]
}

/** The default exponent: twice as many teams use 1.74 times as much. */
export const defaultExponent = 0.8

/** Converts a scenario to arithmetic on the days ahead. */
export const formulaOf = (scenario: Scenario, basis: ScenarioBasis): Formula =>
  (formulas[scenario.kind] as (one: Scenario, basis: ScenarioBasis) => Formula)(scenario, basis)

const formulas: {
  readonly [K in Scenario['kind']]: (one: Extract<Scenario, { kind: K }>, basis: ScenarioBasis) => Formula
} = {
  team_growth: teamGrowth,
  price_change: priceChange,
  model_switch: modelSwitch,
  launch,
  cap: ({ period, usd }) => ({ effect: { kind: 'cap', period, most: usd }, parameters: {}, notes: [] }),
}

/** Usage grows as teams^e: with e below 1, each further team adds less than the previous one. */
function teamGrowth({ teamsNow, teamsThen, exponent }: TeamGrowth, { teamDays }: ScenarioBasis): Formula {
  const fitted = exponent === null && teamDays !== null ? fitExponent(teamDays) : undefined
  const e = exponent ?? fitted?.exponent ?? defaultExponent
  const factor = teamsThen === 0 ? 0 : (teamsThen / teamsNow) ** e
  const source = exponent !== null ? 'given' : fitted?.exponent === undefined ? 'default' : 'fitted'
  return {
    effect: { kind: 'scale', factor },
    parameters: { exponent: e, exponent_source: source, factor },
    notes:
      source === 'default'
        ? [`The default exponent ${defaultExponent} is used: ${fitted?.why ?? 'there is no history'}.`]
        : [],
  }
}

/** Multiplies each model's part of the cost by its price change, weighted by input and output. */
function priceChange({ model, input, output }: PriceChange, { models, cost }: ScenarioBasis): Formula {
  const concerned = models.filter((one) => model === null || isSameName(one.model, model))
  const notes: string[] = []
  let changed = 0
  for (const one of concerned) {
    const known = one.inputCost !== null && one.outputCost !== null && one.inputCost + one.outputCost > 0
    const [sent, written] = known ? [one.inputCost, one.outputCost] : [one.inputTokens, one.outputTokens]
    const part = sent + written > 0 ? sent / (sent + written) : 0.5
    if (!known && input !== output) notes.push(`${one.model} has no price; its cost is split by tokens instead.`)
    changed += one.cost * (part * input + (1 - part) * output - 1)
  }
  const share = cost > 0 ? sum(concerned.map((one) => one.cost)) / cost : 0
  if (share === 0) notes.push('Nothing was spent on this in the last 28 days.')
  const factor = cost > 0 ? Math.max(0, 1 + changed / cost) : 1
  return { effect: { kind: 'scale', factor }, parameters: { share_of_cost: share, factor }, notes }
}

/** Prices the moved part at the cost of the same tokens on the other model, by the price book. */
function modelSwitch({ from, to, share }: ModelSwitch, { models, cost }: ScenarioBasis): Formula {
  const moved = models.find((one) => isSameName(one.model, from))
  const onOther = moved?.costOn[to]
  const shareOfCost = moved && cost > 0 ? moved.cost / cost : 0
  if (!moved || shareOfCost === 0 || onOther === undefined || onOther === null) {
    const why =
      moved && shareOfCost > 0
        ? `${to} has no price, so its cost cannot be estimated.`
        : `Nothing was spent on ${from} in the last 28 days.`
    return { effect: { kind: 'scale', factor: 1 }, parameters: { share_of_cost: shareOfCost, factor: 1 }, notes: [why] }
  }
  const price = onOther / moved.cost
  const factor = 1 + shareOfCost * share * (price - 1)
  return {
    effect: { kind: 'scale', factor },
    parameters: { share_of_cost: shareOfCost, price_ratio: price, factor },
    notes: [],
  }
}

/** Adds a daily amount, reached in equal steps, converted by the current cost and tokens per run. */
function launch({ dailyUsd, dailyRuns, rampDays }: Launch, { metric, cost, runs, tokens }: ScenarioBasis): Formula {
  const given = dailyUsd !== null ? 'cost' : 'runs'
  const amount = dailyUsd ?? present(dailyRuns)
  const parts = { cost, runs, tokens }
  const isKnown = metric === given || parts[given] > 0
  const rate = metric === given ? 1 : isKnown ? parts[metric] / parts[given] : 0
  return {
    effect: { kind: 'add', perDay: amount * rate, rampDays },
    parameters: { per_day: amount * rate },
    notes: isKnown ? [] : ['There were no runs in the last 28 days to derive the cost or tokens of a run from.'],
  }
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

/** Applies an effect to the days ahead. */
export function applyEffect(
  mean: Float64Array,
  effect: ScenarioEffect,
  from: number,
  months: { readonly spent: number; readonly ends: readonly number[] },
): Float64Array {
  if (effect.kind === 'cap' && effect.period === 'month') return capByMonth(mean, effect.most, from, months)
  return mean.map((value, day) => {
    if (day < from) return value
    if (effect.kind === 'scale') return value * effect.factor
    if (effect.kind === 'cap') return Math.min(value, effect.most)
    return value + effect.perDay * (effect.rampDays === 0 ? 1 : Math.min(1, (day - from + 1) / effect.rampDays))
  })
}

/** Caps each month. The amount spent so far in the current month counts; amounts spent before the cap starts stay spent. */
function capByMonth(
  mean: Float64Array,
  most: number,
  from: number,
  { spent, ends }: { readonly spent: number; readonly ends: readonly number[] },
): Float64Array {
  let [month, sumOfMonth] = [0, spent]
  return mean.map((value, day) => {
    if (day >= (ends[month] ?? Number.POSITIVE_INFINITY)) {
      month++
      sumOfMonth = 0
    }
    const taken = day < from ? value : Math.max(0, Math.min(value, most - sumOfMonth))
    sumOfMonth += taken
    return taken
  })
}
