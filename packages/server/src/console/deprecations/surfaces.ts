import { dayMs } from '../../values/time.ts'
import type { Schemas } from '../api/api.ts'
import { type Content, counted, html, joined, type Markup, type Times } from '../components/components.ts'

/** Path of the page, and of its entry in the navigation. */
export const path = '/console/deprecations'

export type DeprecationEntry = Schemas['DeprecationEntry']

export const noneText = 'When a route is about to go, it is listed here for at least its notice period.'

const daysOfMonth = 30.44
const daysOfYear = 365.25

/** Returns the distance of an instant: `in 12 days`, `in 13 months`, `in 10 years`; in the same way how long it has passed. */
export function distanceText(at: Date, now: Date): string {
  const days = (at.getTime() - now.getTime()) / dayMs
  const far = Math.abs(days)
  const text =
    far < 2 * daysOfMonth
      ? counted(Math.floor(far), 'day')
      : far < 2 * daysOfYear
        ? counted(Math.round(far / daysOfMonth), 'month')
        : counted(Math.round(far / daysOfYear), 'year')
  return days < 0 ? `${text} ago` : `in ${text}`
}

/** The last moment of something that is deprecated: exact, and how far away it is. */
export const untilText = (times: Times, sunset: string): Markup => {
  const at = new Date(sunset)
  return html`<time datetime="${at.toISOString()}" title="${times.long(at)} (${times.zone})">${times.long(at)}</time>, ${distanceText(at, times.now)}`
}

/** Text with names between backticks, which are set as code. */
export const withCode = (text: string): Content =>
  joined(text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`)))
