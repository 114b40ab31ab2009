import type { Schemas } from '../api/api.ts'
import {
  type Column,
  type Content,
  counted,
  countText,
  freeOf,
  gauge,
  html,
  linkButton,
  type Markup,
  money,
  moneyText,
  nothing,
  percentOf,
  section,
  shareBar,
  sumUsd,
  table,
} from '../components/components.ts'
import { shown, type Visit } from '../frame/frame.ts'
import { isStopped, kindText, stateOf } from '../limit-parts/limit-parts.ts'
import { amountOf, dayText, metricValue } from '../series/series.ts'
import { largestTeams, rangeText, refusedBy } from './figures.ts'
import { exhaustionOf, type OverviewData } from './overview-data.ts'
import { reasonText } from './words.ts'

type Budget = Schemas['Budget']

const shownBudgets = 5
const shownBars = 6

/** Budgets that run out next: what is stopped, then by the day that is expected, then by what is left. */
export function runsOutNext(data: OverviewData, visit: Visit): Content {
  if (data.budgets === undefined) return nothing
  return section(
    'Runs out next',
    shown(data.budgets, visit, ({ data: all, next_cursor: more }) => {
      const limited = all.filter(({ limit_usd: limit }) => limit !== null)
      if (limited.length === 0)
        return html`<p class="dim">Nothing is limited yet. ${linkButton('/console/budgets', 'Budgets', { kind: 'sm' })}</p>`
      const out = exhaustionOf(data)
      const ranked = limited.map((budget) => ({
        budget,
        outMs: isStopped(budget) ? 0 : Date.parse(out.get(budget.id)?.date ?? '9999-12-31'),
        used: percentOf(sumUsd(budget.spent_usd, budget.held_usd), budget.limit_usd ?? '0'),
      }))
      ranked.sort((a, b) => a.outMs - b.outMs || b.used - a.used)
      const next = ranked.slice(0, shownBudgets).map(({ budget }) => budget)
      const list = table(columnsOf(visit, out), next, {
        caption: 'Budgets that run out next',
        rowKind: (budget) => (isStopped(budget) ? 'is-stopped' : undefined),
      })
      return more === null ? list : html`${list}<p class="small dim">Of the first ${all.length} budgets.</p>`
    }),
    html`<a href="/console/budgets">All budgets</a>`,
  )
}

const columnsOf = (visit: Visit, out: ReadonlyMap<string, Schemas['Exhaustion']>): readonly Column<Budget>[] => [
  {
    name: 'Limit',
    kind: 'name',
    cell: ({ id, name, scope_kind: kind, period }) =>
      html`<a class="plain" href="/console/budgets/${id}">${name}</a> <span class="sub">${kindText(kind)}, ${period}</span>`,
  },
  {
    name: 'Spent and held',
    kind: 'all bar',
    cell: (budget) => {
      const { spent_usd: spent, held_usd: held, limit_usd: limit, thresholds } = budget
      return html`${gauge({ spent, held, limit: limit ?? '0', thresholds, tone: stateOf(budget).tone })}<span class="sub nowrap">${money(sumUsd(spent, held))} of ${moneyText(limit ?? '0', 'whole')}</span>`
    },
  },
  {
    name: 'Free',
    isNumber: true,
    label: 'Free',
    cell: ({ spent_usd: spent, held_usd: held, limit_usd: limit }) =>
      money(freeOf({ spent, held, limit: limit ?? '0' })),
  },
  { name: 'Runs out', kind: 'out', cell: (budget) => outText(budget, out.get(budget.id), visit) },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, name }) =>
      visit.may('limits:write', 'admin')
        ? linkButton(`/console/budgets/${id}/edit`, 'Raise', { kind: 'sm', of: name })
        : nothing,
  },
]

function outText(budget: Budget, out: Schemas['Exhaustion'] | undefined, { times }: Visit): Markup {
  if (isStopped(budget))
    return html`<b class="t-stop">Stopped${budget.exhausted_at === null ? nothing : html` since ${times.time(budget.exhausted_at)}`}</b><span class="sub">${counted(budget.refused_count, 'call')} refused</span>`
  if (out === undefined) return html`<span class="dim">no forecast</span>`
  if (out.date === null) return html`<span class="dim">not within 60 days</span>`
  const isLater = !out.within_period
  return html`<b>${dayText(out.date, times)}</b><span class="sub">${rangeText(out, times).replaceAll(/[()]/g, '')}${isLater ? ', a later period' : ''}</span>`
}

const bars = (list: readonly { readonly name: Content; readonly value: string; readonly amount: number }[]): Markup => {
  const most = Math.max(...list.map(({ amount }) => amount), 0)
  return html`<ul class="bars">${list.map(
    ({ name, value, amount }) =>
      html`<li><span>${name}</span><span>${value}</span>${shareBar(most === 0 ? 0 : (amount / most) * 100)}</li>`,
  )}</ul>`
}

/** Refused calls of today by reason. */
export function refusedByReason(data: OverviewData, visit: Visit): Content {
  if (data.refusals === undefined) return nothing
  const reasons = refusedBy(data, visit.times.now.toISOString().slice(0, 10))
  return section(
    'Refused today, by reason',
    shown(data.refusals, visit, () =>
      reasons.length === 0
        ? html`<p class="dim">Nothing was refused.</p>`
        : bars(
            reasons
              .slice(0, shownBars)
              .map(([code, count]) => ({ name: reasonText(code), value: countText(count), amount: count })),
          ),
    ),
    reasons.length === 0 ? nothing : html`<a href="/console/refusals">Why?</a>`,
  )
}

/** Teams that spent most this month. */
export function teamsOfMonth(data: OverviewData, visit: Visit): Content {
  if (data.teams === undefined) return nothing
  const teams = largestTeams(data)
  return section(
    'Largest teams this month',
    shown(data.teams, visit, ({ isWhole }) =>
      teams.length === 0
        ? html`<p class="dim">Nothing was spent this month.</p>`
        : html`${bars(
            teams.slice(0, shownBars).map((team) => ({
              name:
                team.values[0] == null
                  ? html`<span class="dim">no team</span>`
                  : html`<a class="plain" href="/console/usage?by=user_id&amp;department_id=${encodeURIComponent(team.values[0])}">${team.values[0]}</a>`,
              value: metricValue(team, 'cost').text,
              amount: amountOf(team, 'cost'),
            })),
          )}${isWhole ? nothing : html`<p class="small dim">Of the first ${countText(teams.length)} teams by name: there are very many.</p>`}`,
    ),
    teams.length > shownBars ? html`<a href="/console/usage?by=department_id">All ${teams.length}</a>` : nothing,
  )
}
