import { dayMs } from '../../values/time.ts'
import type { Schemas } from '../api/api.ts'
import {
  type Content,
  countText,
  type Figure,
  figures,
  gauge,
  html,
  type Markup,
  money,
  moneyText,
  percentOf,
  type Times,
  type Tone,
} from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import { amountOf, dayText, dimensions, groupSums, metricValue, noSums, plus, sumsOf } from '../series/series.ts'
import { exhaustionOf, type OverviewData, valueOf } from './overview-data.ts'
import { reasonText } from './words.ts'

const nearlyPercent = 90

const toneOf = (spent: string, held: string, limit: string, isStopped: boolean): Tone => {
  if (isStopped) return 'stop'
  return percentOf(spent, limit) + percentOf(held, limit) >= nearlyPercent ? 'warn' : ''
}

const amountText = (amount: string | number) => moneyText(String(amount), 'cents')

/** Strip of numbers at the top: today, this month, what is prepaid, and what was refused. */
export function overviewFigures(data: OverviewData, visit: Visit): Markup {
  const list = [
    todayFigure(data, visit),
    monthFigure(data, visit),
    prepaidFigure(data, visit),
    refusedFigure(data, visit),
  ]
  return figures(list.filter((figure) => figure !== undefined))
}

const clock = (at: string, times: Times) => times.long(at).split(', ')[1] ?? ''

function todayFigure({ cap, models, today: cutToday, forecast }: OverviewData, { times }: Visit): Figure | undefined {
  const limit = cap?.value
  const step = valueOf(forecast)?.total.forecast[0]
  const expected = step
    ? `${amountText(step.p80[0] ?? step.mean)} to ${amountText(step.p80[1] ?? step.mean)} by midnight`
    : undefined
  if (limit?.cap_usd != null && limit.spent_usd != null && limit.held_usd != null) {
    const { cap_usd: total, spent_usd: spent, held_usd: held } = limit
    return {
      label: 'Today',
      ...(limit.resets_at !== null && { aside: html`resets ${clock(limit.resets_at, times)}` }),
      big: money(spent, 'cents'),
      small: `of ${moneyText(total, 'whole')}`,
      gauge: gauge({ spent, held, limit: total, tone: toneOf(spent, held, total, limit.exhausted_at !== null) }),
      foot: joinedText([`${moneyText(held)} held`, expected]),
    }
  }
  if (models?.value === undefined) return undefined
  // Whoever makes names of models up can fill the rows that are read, but not the sums.
  if (!models.value.isWhole && cutToday?.value === undefined) return undefined
  const today = cutToday?.value
    ? sumsOf(cutToday.value.totals)
    : models.value.rows
        .filter(({ period_start: start }) => times.date(start) === times.date(times.now))
        .map(sumsOf)
        .reduce(plus, noSums)
  return {
    label: 'Today',
    aside: 'no daily cap',
    big: metricValue(today, 'cost').text,
    ...(expected && { foot: expected }),
  }
}

const joinedText = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(', ')

function monthFigure(data: OverviewData, { times }: Visit): Figure | undefined {
  const budget = data.budgets?.value?.data.find(
    ({ scope_kind: kind, period, limit_usd: limit, and_scope_kind: and }) =>
      kind === 'org' && and === null && period === 'month' && limit !== null,
  )
  const label = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: times.zone }).format(times.now)
  const ahead = valueOf(data.forecast)?.total.total
  if (budget?.limit_usd != null) {
    const { limit_usd: limit, spent_usd: spent, held_usd: held, thresholds } = budget
    const out = exhaustionOf(data).get(budget.id)
    const isStopped = budget.exhausted_at !== null && budget.enforcement === 'block'
    const runsOut = out?.date != null && out.within_period
    return {
      label,
      aside: daysLeft(budget.period_end, times),
      big: money(spent, 'cents'),
      small: `of ${moneyText(limit, 'whole')}`,
      gauge: gauge({ spent, held, limit, thresholds, tone: toneOf(spent, held, limit, isStopped) }),
      foot:
        runsOut && out !== undefined
          ? html`<b class="t-warn">Runs out ${dayText(out.date ?? '', times)}</b> ${rangeText(out, times)}`
          : ahead
            ? `${amountText(ahead.p80[0] ?? ahead.mean)} to ${amountText(ahead.p80[1] ?? ahead.mean)} more by its end`
            : `${moneyText(held)} held`,
    }
  }
  const read = data.models?.value
  if (read === undefined) return undefined
  return {
    label,
    aside: 'no budget for everything',
    big: metricValue(read.totals, 'cost').text,
    foot: ahead
      ? `${amountText(ahead.p80[0] ?? ahead.mean)} to ${amountText(ahead.p80[1] ?? ahead.mean)} more by its end`
      : `in ${countText(read.totals.runs)} runs`,
  }
}

/** Returns the range of a day on which a limit is used up: `27 to 30 Nov`. */
export function rangeText({ earliest, latest }: Schemas['Exhaustion'], times: Times): string {
  if (earliest === null) return ''
  return latest === null
    ? `(${dayText(earliest, times)} or later)`
    : `(${dayText(earliest, times)} to ${dayText(latest, times)})`
}

const daysLeft = (end: string, { now }: Times): string => {
  const days = Math.ceil((new Date(end).getTime() - now.getTime()) / dayMs)
  return days === 1 ? '1 day left' : `${days} days left`
}

function prepaidFigure(data: OverviewData, { times, org }: Visit): Figure | undefined {
  const quota = data.quota?.value
  if (quota === undefined || !quota.prepaid || quota.limit_usd === null) return undefined
  const { limit_usd: limit, spent_usd: spent, held_usd: held, remaining_usd: left } = quota
  const out = exhaustionOf(data).get(org.id)
  return {
    label: 'Prepaid',
    aside: `of ${moneyText(limit, 'whole')}`,
    big: money(left ?? '0', 'cents'),
    small: 'left',
    gauge: gauge({ spent, held, limit, tone: toneOf(spent, held, limit, quota.exhausted_at !== null) }),
    foot:
      out?.date == null
        ? `${moneyText(spent)} spent, ${moneyText(held)} held`
        : `Lasts until about ${dayText(out.date, times)} ${rangeText(out, times)}`,
  }
}

/** Returns how many calls were refused, by reason; of one UTC day. */
export function refusedBy(data: OverviewData, day: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { day: on, error_code: code, count } of data.refusals?.value?.data ?? [])
    if (on === day) counts.set(code, (counts.get(code) ?? 0) + count)
  return [...counts].toSorted((a, b) => b[1] - a[1])
}

const sumOf = (list: readonly (readonly [string, number])[]) => list.reduce((sum, [, count]) => sum + count, 0)

function refusedFigure(data: OverviewData, { times }: Visit): Figure | undefined {
  if (data.refusals?.value === undefined) return undefined
  const dayBefore = new Date(times.now.getTime() - dayMs)
  const reasons = refusedBy(data, times.now.toISOString().slice(0, 10))
  const before = sumOf(refusedBy(data, dayBefore.toISOString().slice(0, 10)))
  const [first] = reasons
  const foot: Content = first
    ? html`<a href="/console/refusals">${countText(first[1])}: ${reasonText(first[0]).toLowerCase()}</a>`
    : 'Nothing was refused'
  return {
    label: 'Refused today',
    aside: `yesterday ${countText(before)}`,
    big: countText(sumOf(reasons)),
    small: `${sumOf(reasons) === 1 ? 'call' : 'calls'}${times.zone === 'UTC' ? '' : ', by UTC day'}`,
    foot,
  }
}

/** Teams that spent most this month, each with its share. */
export function largestTeams(data: OverviewData) {
  const read = data.teams?.value
  if (read === undefined) return []
  return groupSums(read.rows, dimensions.slice(0, 1), 'cost').filter((group) => amountOf(group, 'cost') > 0)
}
