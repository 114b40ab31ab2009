const periods = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Period = (typeof periods)[number]

export interface CarriedPeriod {
  readonly period: Period
  /** How it differs from LiteLLM's; undefined where it is the same. */
  readonly difference: string | undefined
}

const words: Readonly<Record<string, string>> = { hourly: '1h', daily: '24h', weekly: '7d', monthly: '30d' }
const daysPerUnit: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1_440, h: 1 / 24, d: 1, w: 7, mo: 30 }
/** Durations that LiteLLM itself resets at the turn of a calendar period. */
const same: Readonly<Record<string, Period>> = {
  '24h': 'day',
  '1d': 'day',
  '7d': 'week',
  '1w': 'week',
  '30d': 'month',
  '1mo': 'month',
}
const lengths: readonly (readonly [Period, number])[] = [
  ['day', 1],
  ['week', 7],
  ['month', 31],
  ['quarter', 92],
]

/** Returns the period of a budget. One that Weir has not becomes the next longer one with the same amount: stricter, never looser. */
export function periodOf(duration: string | undefined): CarriedPeriod {
  if (duration === undefined || duration === '')
    return { period: 'year', difference: 'is for ever in LiteLLM and for a year in Weir' }
  const text = words[duration.trim().toLowerCase()] ?? duration.trim()
  const known = same[text]
  if (known) return { period: known, difference: undefined }
  const [, value = '', unit = ''] = /^(\d+)(mo|[smhdw])$/.exec(text) ?? []
  const days = Number(value) * (daysPerUnit[unit] ?? Number.NaN)
  if (Number.isNaN(days))
    return { period: 'day', difference: `has the duration "${duration.slice(0, 40)}", which LiteLLM takes for a day` }
  const period = lengths.find(([, most]) => days <= most)?.[0] ?? 'year'
  return { period, difference: `is for ${duration.slice(0, 40)} in LiteLLM and for a ${period} in Weir` }
}

/** Returns the start of the running period in UTC; a year may begin on the day of an anchor. */
export function startOfPeriod(period: Period, anchor: string, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (period === 'day') return new Date(Date.UTC(year, month, day))
  if (period === 'week') return new Date(Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7)))
  if (period === 'month') return new Date(Date.UTC(year, month))
  if (period === 'quarter') return new Date(Date.UTC(year, month - (month % 3)))
  return startOfYear(year, anchor, now)
}

function startOfYear(year: number, anchor: string, now: Date): Date {
  const first = anchor === '' ? new Date(Date.UTC(year, 0)) : new Date(`${year}${anchor.slice(4)}T00:00:00Z`)
  return first <= now ? first : new Date(first.setUTCFullYear(year - 1))
}
