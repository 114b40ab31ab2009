import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Column,
  type Content,
  countText,
  html,
  linkButton,
  type Markup,
  moneyText,
  nothing,
  percentText,
  section,
  sparkline,
  table,
  tokensText,
} from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import { dayText } from '../series/series.ts'
import { scenarioKindText, scenarioName } from './scenario-form.ts'

type Forecasts = Schemas['Forecasts']

/** Amount of a forecast: dollars as a decimal string, everything else as a number. */
export type Amount = string | number
type Range = { readonly mean: Amount; readonly p80: readonly Amount[] }

const path = '/console/forecasts'

/** Returns the text of an amount, in the unit of a forecast. */
export const amountText = (amount: Amount, metric: string): string => {
  if (metric === 'cost') return moneyText(String(amount), 'cents')
  return metric === 'tokens' ? tokensText(Number(amount)) : countText(Number(amount))
}

/** Returns a range: nine of ten forecasts are read wrongly without it. */
export const rangeText = ({ mean, p80 }: Range, metric: string): string =>
  `${amountText(p80[0] ?? mean, metric)} to ${amountText(p80[1] ?? mean, metric)}`

type Exhaustion = Schemas['Exhaustion']

const outText = ({ date, earliest, latest, within_period: isNow }: Exhaustion, { times }: Visit): Markup => {
  if (date === null) return html`<span class="dim">not within the horizon</span>`
  const range = [earliest, latest].map((day) => (day === null ? 'later' : dayText(day, times))).join(' to ')
  return html`<b>${dayText(date, times)}</b><span class="sub">${range}${isNow ? '' : ', a later period'}</span>`
}

/** Table of the days on which limits are reached, soonest first. */
export function limitSection({ total, series, metric }: Forecasts, visit: Visit): Content {
  const limits = [total, ...series].flatMap(({ exhaustion }) => exhaustion)
  if (limits.length === 0) return nothing
  const columns: readonly Column<Exhaustion>[] = [
    {
      name: 'Limit',
      kind: 'name',
      cell: ({ limit_id: id, kind, name }) =>
        kind === 'budget' ? html`<a class="plain" href="/console/budgets/${id}">${name}</a>` : html`${name}`,
    },
    { name: 'Used', isNumber: true, label: 'Used', cell: ({ used }) => amountText(used, metric) },
    { name: 'Limit amount', isNumber: true, label: 'of', cell: ({ limit }) => amountText(limit, metric) },
    { name: 'Runs out', cell: (limit) => outText(limit, visit) },
    {
      name: 'When used up',
      kind: 'gone',
      cell: ({ enforcement }) => (enforcement === 'block' ? 'Stop' : 'Only alert'),
    },
  ]
  const inOrder = limits.toSorted((a, b) => (a.date ?? '9').localeCompare(b.date ?? '9'))
  return section(
    'When limits are reached',
    table(columns, inOrder.slice(0, 50), { caption: 'When limits are reached' }),
  )
}

type Series = Forecasts['series'][number]

/** Forecasts of the parts, each with its range. */
export function seriesSection({ series, by, metric }: Forecasts): Content {
  if (series.length === 0) return nothing
  const columns: readonly Column<Series>[] = [
    {
      name: by === 'department' ? 'Team' : (by ?? '').replace(/^./, (letter) => letter.toUpperCase()),
      cell: ({ key, is_other: isOther }) => (isOther ? 'All others' : (key ?? html`<span class="dim">none</span>`)),
    },
    {
      name: 'Last 14 steps',
      kind: 'gone',
      cell: ({ history, key }) =>
        sparkline(
          history.slice(-14).map(({ value }) => Number(value)),
          `Usage of ${key ?? 'others'} before`,
        ),
    },
    {
      name: 'Expected',
      isNumber: true,
      label: 'Expected',
      cell: ({ total }) => (total ? html`<b>${amountText(total.mean, metric)}</b>` : 'none'),
    },
    {
      name: '4 of 5 times',
      isNumber: true,
      label: '4 of 5 times',
      cell: ({ total }) => (total ? rangeText(total, metric) : nothing),
    },
    {
      name: 'How sure',
      kind: 'all',
      cell: ({ confidence, reasons }) =>
        confidence === 'low' ? html`${badge('low', 'line')} <span class="sub">${reasons.join(' ')}</span>` : confidence,
    },
  ]
  return section(
    'Parts',
    table(columns, series, { caption: 'Forecasts of the parts' }),
    'they are forecast one by one and need not add up',
  )
}

type ScenarioAnswer = Forecasts['scenarios'][number]

/** Scenarios beside each other: what each would change. */
export function scenarioSection({ scenarios, metric }: Forecasts, visit: Visit): Content {
  if (scenarios.length === 0) return nothing
  const asked = visit.query.getAll('scenario')
  const without = (index: number) => {
    const query = new URLSearchParams(visit.query)
    query.delete('scenario')
    for (const [at, scenario] of asked.entries()) if (at !== index) query.append('scenario', scenario)
    return `${path}?${query}`
  }
  const rows = scenarios.map((scenario, index) => ({ scenario, index }))
  const columns: readonly Column<{ scenario: ScenarioAnswer; index: number }>[] = [
    {
      name: 'Scenario',
      kind: 'name',
      cell: ({ scenario }) =>
        html`${scenario.name} <span class="sub">${scenarioKindText(scenario.kind)}, from ${dayText(scenario.at, visit.times)} on</span>`,
    },
    {
      name: 'Expected',
      isNumber: true,
      label: 'Expected',
      cell: ({ scenario: { total } }) => (total ? html`<b>${amountText(total.mean, metric)}</b>` : 'none'),
    },
    {
      name: '4 of 5 times',
      isNumber: true,
      label: '4 of 5 times',
      cell: ({ scenario: { total } }) => (total ? rangeText(total, metric) : nothing),
    },
    {
      name: 'Difference',
      isNumber: true,
      label: 'Difference',
      cell: ({ scenario: { difference, difference_percent: percent } }) =>
        difference === null
          ? nothing
          : html`${Number(difference) > 0 ? '+' : ''}${amountText(difference, metric)}${percent === null ? '' : ` (${percent > 0 ? '+' : '−'}${percentText(Math.abs(percent))})`}`,
    },
    {
      name: 'How it was counted',
      kind: 'all',
      cell: ({ scenario }) => html`<span class="sub">${scenario.notes.join(' ')}</span>`,
    },
    {
      name: 'Actions',
      isAction: true,
      cell: ({ index }) =>
        linkButton(without(index), 'Remove', { kind: 'sm quiet', of: scenarioName(asked[index] ?? '') }),
    },
  ]
  return section('Scenarios', table(columns, rows, { caption: 'Scenarios' }))
}
