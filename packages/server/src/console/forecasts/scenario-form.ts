import { recordIn } from '../../values/records.ts'
import {
  type FormState,
  form,
  freshForm,
  html,
  type Markup,
  pageHead,
  tabs,
  textField,
} from '../components/components.ts'
import { type ConsolePage, type FormValues, refusedForm, type Visit } from '../frame/frame.ts'

/** A field of a scenario: its name in the API, its label, and whether it is a number or an amount of dollars. */
interface ScenarioField {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'number' | 'usd'
  readonly isOptional?: boolean
  readonly hint?: string
}

const number = (name: string, label: string, more: Partial<ScenarioField> = {}): ScenarioField => ({
  name,
  label,
  type: 'number',
  ...more,
})

/** Kinds of scenarios, each with its fields. */
const kinds = {
  team_growth: {
    text: 'More teams',
    fields: [number('teams_now', 'Teams now'), number('teams_then', 'Teams then')],
  },
  price_change: {
    text: 'Another price',
    fields: [
      { name: 'model', label: 'Model', type: 'text', isOptional: true, hint: 'Empty for every model.' },
      number('factor', 'Factor of the price', { hint: '0.8 is a fifth less.' }),
    ],
  },
  model_switch: {
    text: 'Another model',
    fields: [
      { name: 'from', label: 'From model', type: 'text' },
      { name: 'to', label: 'To model', type: 'text' },
      number('share', 'Share that moves', { isOptional: true, hint: '0.5 is half. Empty for all of it.' }),
    ],
  },
  launch: {
    text: 'A launch',
    fields: [
      { name: 'daily_cost_usd', label: 'More each day, in US dollars', type: 'usd' },
      number('ramp_days', 'Days until it is reached', { isOptional: true }),
    ],
  },
  cap: { text: 'A cap', fields: [{ name: 'monthly_usd', label: 'At most each month, in US dollars', type: 'usd' }] },
} as const satisfies Record<string, { readonly text: string; readonly fields: readonly ScenarioField[] }>

type ScenarioKind = keyof typeof kinds

const formPath = '/console/forecasts/scenario'
const kindOf = (text: string | null | undefined): ScenarioKind =>
  Object.keys(kinds).find((name): name is ScenarioKind => name === text) ?? 'team_growth'

export const scenarioKindText = (kind: string): string => kinds[kindOf(kind)].text

/** The form for a scenario. Its forecast is in `view`, the query of the page that it leads back to. */
export function scenarioPage(visit: Visit, kind: ScenarioKind, view: string, state: FormState): ConsolePage {
  const fields: readonly ScenarioField[] = kinds[kind].fields
  return {
    title: 'New scenario',
    here: '/console/forecasts',
    status: Object.keys(state.faults).length > 0 || state.fault !== undefined ? 422 : 200,
    body: html`${pageHead('New scenario', 'The forecast is drawn once more as if this happened. Nothing is changed.')}${tabs(
      'Kind of scenario',
      Object.entries(kinds).map(([name, { text }]) => ({
        href: `${formPath}?${new URLSearchParams({ kind: name, view })}`,
        text,
        isHere: name === kind,
      })),
    )}${form(
      visit.formKeys,
      formPath,
      state,
      html`<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="view" value="${view}">${textField(state, { name: 'name', label: 'Name', isRequired: true })}${textField(state, { name: 'at', label: 'From this day on', type: 'date', isRequired: true })}${fields.map((one) => field(state, one))}`,
      { submit: 'Show the scenario', cancel: `/console/forecasts?${view}` },
    )}`,
  }
}

const field = (state: FormState, { name, label, type, isOptional, hint }: ScenarioField): Markup =>
  textField(state, {
    name,
    label,
    ...(type === 'usd' && { prefix: '$' }),
    ...(isOptional === true && { isOptional }),
    ...(hint !== undefined && { hint }),
  })

export function freshScenario(visit: Visit): ConsolePage {
  const { query, times } = visit
  const kind = kindOf(query.get('kind'))
  const state = freshForm({ name: kinds[kind].text, at: times.date(times.now) })
  return scenarioPage(visit, kind, query.get('view') ?? '', state)
}

/** Returns the scenario of a form as the API takes it: JSON in a query. */
function scenarioOf(kind: ScenarioKind, values: FormValues): string {
  const fields: readonly ScenarioField[] = kinds[kind].fields
  const given = fields.flatMap(({ name, type }) => {
    const text = (values[name] ?? '').trim()
    if (text === '') return []
    return [
      [name, type === 'number' ? (Number.isNaN(Number(text)) ? text : Number(text)) : text.replace(/^\$/, '')] as const,
    ]
  })
  return JSON.stringify({ name: values['name'] ?? '', kind, at: values['at'] ?? '', ...Object.fromEntries(given) })
}

/** Adds a scenario to the address of the forecast; or shows the form with what is wrong. */
export async function addScenario(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const kind = kindOf(values['kind'])
  const view = new URLSearchParams(values['view'] ?? '')
  const scenario = scenarioOf(kind, values)
  try {
    await visit.api.get('/v1/capacity/forecasts', { query: { horizon_days: 1, scenario: [scenario] } })
  } catch (error) {
    const names = Object.fromEntries(
      ['name', 'at', ...kinds[kind].fields.map(({ name }) => name)].map((name) => [`scenario.0.${name}`, name]),
    )
    return scenarioPage(visit, kind, String(view), refusedForm(error, values, names))
  }
  view.append('scenario', scenario)
  return `/console/forecasts?${view}`
}

/** Returns the name that a scenario of an address has; for a link that removes it. */
export const scenarioName = (scenario: string): string => {
  try {
    const { name } = recordIn(JSON.parse(scenario))
    return typeof name === 'string' ? name : 'scenario'
  } catch {
    return 'scenario'
  }
}
