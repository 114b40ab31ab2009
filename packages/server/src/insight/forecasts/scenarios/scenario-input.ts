import { parse } from 'secure-json-parse'
import type { FieldFault } from '../../../contract/errors.ts'
import { FieldReader } from './scenario-fields.ts'
import type { Scenario } from './scenarios.ts'

export const maxScenarios = 10
export const maxScenarioLength = 1_000
const kinds = ['team_growth', 'price_change', 'model_switch', 'launch', 'cap'] as const

type ScenarioReader = (fields: FieldReader) => object

const readers: Readonly<Record<(typeof kinds)[number], ScenarioReader>> = {
  team_growth: (fields) => ({
    teamsNow: fields.number('teams_now', 1, 1_000_000, true),
    teamsThen: fields.number('teams_then', 0, 1_000_000, true),
    exponent: fields.has('exponent') ? fields.number('exponent', 0, 2) : null,
  }),
  price_change: (fields) => {
    const model = fields.has('model') ? fields.text('model', 200) : null
    const isSplit = fields.has('input_factor') || fields.has('output_factor')
    if (isSplit && fields.has('factor'))
      fields.fault('factor', 'invalid_value', 'Give either factor, or input_factor and output_factor.')
    if (!isSplit) {
      const factor = fields.number('factor', 0, 100)
      return { model, input: factor, output: factor }
    }
    const part = (name: string) => (fields.has(name) ? fields.number(name, 0, 100) : 1)
    return { model, input: part('input_factor'), output: part('output_factor') }
  },
  model_switch: (fields) => ({
    from: fields.text('from', 200),
    to: fields.text('to', 200),
    share: fields.has('share') ? fields.number('share', 0, 1) : 1,
  }),
  launch: (fields) => {
    const which = fields.exactlyOne(['daily_cost_usd', 'daily_runs'])
    return {
      dailyUsd: which === 'daily_cost_usd' ? fields.usd(which) : null,
      dailyRuns: which === 'daily_runs' ? fields.number(which, 0, 1e12) : null,
      rampDays: fields.has('ramp_days') ? fields.number('ramp_days', 0, 180, true) : 0,
    }
  },
  cap: (fields) => {
    const which = fields.exactlyOne(['daily_usd', 'monthly_usd'])
    return {
      period: which === 'monthly_usd' ? 'month' : 'day',
      usd: which === undefined ? undefined : fields.usd(which),
    }
  },
}

/** Kinds that only change prices, and so need the metric cost. */
const needCost: ReadonlySet<string> = new Set(['price_change', 'model_switch', 'cap'])

interface ScenarioQuery {
  readonly metric?: string | undefined
  readonly model?: string | undefined
  readonly scenario?: readonly string[] | undefined
}

function readOne(
  text: string,
  place: string,
  { metric, model }: ScenarioQuery,
): { scenario?: Scenario; faults: FieldFault[] } {
  let parsed: unknown
  try {
    parsed = parse(text)
  } catch {
    return { faults: [{ field: place, code: 'invalid_json', message: 'This is not valid JSON.' }] }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { faults: [{ field: place, code: 'invalid_type', message: 'This must be an object.' }] }
  const fields = new FieldReader(parsed as Record<string, unknown>, place)
  const name = fields.text('name', 100)
  const kind = fields.text('kind', 50)
  if (kind === undefined) return { faults: fields.faults }
  const read = (readers as Readonly<Record<string, ScenarioReader | undefined>>)[kind]
  if (!Object.hasOwn(readers, kind) || !read) {
    fields.fault('kind', 'invalid_value', `This must be one of ${kinds.join(', ')}.`)
    return { faults: fields.faults }
  }
  if (needCost.has(kind) && metric !== undefined && metric !== 'cost')
    fields.fault('kind', 'invalid_value', `A ${kind} changes only costs. Use metric=cost.`)
  if (kind === 'model_switch' && model !== undefined)
    fields.fault('kind', 'invalid_value', 'A model_switch moves runs between models. Leave out the filter model.')
  const scenario = { name, kind, at: fields.date('at'), ...read(fields) }
  fields.rejectUnknown()
  return fields.faults.length > 0 ? { faults: fields.faults } : { scenario: scenario as Scenario, faults: [] }
}

const readAll = (asked: ScenarioQuery) => (asked.scenario ?? []).map((text, i) => readOne(text, `scenario.${i}`, asked))

export const scenarioFaults = (asked: ScenarioQuery): FieldFault[] => readAll(asked).flatMap(({ faults }) => faults)

/** Returns the scenarios of a valid query. */
export const scenariosOf = (asked: ScenarioQuery): Scenario[] =>
  readAll(asked).flatMap(({ scenario }) => scenario ?? [])
