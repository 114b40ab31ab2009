import type { Times } from '../components/components.ts'

/** Returns a date such as `2026-11-28` as `today`, `tomorrow` or `Sat 28 Nov`. */
export function dayText(date: string, times: Times): string {
  const noon = `${date}T12:00:00Z`
  if (date === times.date(times.now)) return 'today'
  const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
  return day.format(new Date(noon)).replace(',', '').replaceAll('Sept', 'Sep')
}
