import { html, type Markup } from './markup.ts'

/** Outlines of the icons, drawn in a square of 16. */
const outlines = {
  approvals: 'M2.5 8.5l3.5 3.5 7.5-8',
  audit: 'M4 2h6l3 3v9H4zM10 2v3h3M6.5 8h4M6.5 11h4',
  auto: 'M8 2.5a5.5 5.5 0 100 11zM8 2.5a5.5 5.5 0 010 11',
  budgets: 'M2 5.5h12v7a1 1 0 01-1 1H3a1 1 0 01-1-1zM2 5.5l1.5-3h9l1.5 3M5 9.5h6',
  chains: 'M6.5 9.5l3-3M7 4.5l1.3-1.3a2.6 2.6 0 013.7 3.7L10.7 8.2M9 11.5l-1.3 1.3A2.6 2.6 0 014 9.1l1.3-1.3',
  clock: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 4.5V8l2.5 1.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  customers:
    'M6 7.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM1.8 13.5c.3-2.6 2-4 4.2-4s3.9 1.4 4.2 4M11 3a2.3 2.3 0 010 4.4M12.2 9.8c1.2.6 1.9 1.9 2 3.7',
  dn: 'M8 3v10M4 9l4 4 4-4',
  export: 'M8 2v8M4.8 6.8L8 10l3.2-3.2M2.5 13.5h11',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 100-3.6 1.8 1.8 0 000 3.6z',
  keys: 'M10.5 9a3.5 3.5 0 10-3.3-2.3L2 12v2h2.5v-1.5H6V11h1.5l1.2-1.3A3.5 3.5 0 0010.5 9zM11.3 4.8v.01',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 015 0v2',
  menu: 'M2 4.5h12M2 8h12M2 11.5h12',
  moon: 'M13 9.5A5.5 5.5 0 016.5 3a5.5 5.5 0 106.5 6.5z',
  no: 'M4 4l8 8M12 4l-8 8',
  ok: 'M3 8.5l3.3 3.3L13 5',
  overview: 'M2.5 13.5v-5m3.7 5v-8m3.7 8v-6m3.6 6v-11',
  plus: 'M8 3v10M3 8h10',
  prices: 'M8.5 2H13.5v5L7.5 13.5l-5-5zM11 4.6v.01',
  refusals: 'M8 2a6 6 0 100 12A6 6 0 008 2zM3.8 3.8l8.4 8.4',
  right: 'M6 4l4 4-4 4',
  routing: 'M3 13V9.5A2.5 2.5 0 015.5 7H13M10.5 4.5L13 7l-2.5 2.5M3 3v2',
  rules: 'M3 4h10M3 8h7M3 12h4',
  runs: 'M5 3.5l7.5 4.5L5 12.5z',
  safety: 'M8 1.8l5 1.9v4c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5v-4z',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM10.7 10.7L14 14',
  settings: 'M2 5h7M13 5h1M2 11h1M7 11h7M11 3v4M5 9v4',
  stop: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM8 5v3.5M8 11v.01',
  sun: 'M8 10.8a2.8 2.8 0 100-5.6 2.8 2.8 0 000 5.6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7',
  up: 'M8 13V3M4 7l4-4 4 4',
  usage: 'M2 12l4-4 3 3 5-6M10.5 5H14v3.5',
  warn: 'M8 2.5l6 11H2zM8 6.5v3.5M8 11.9v.01',
  webhooks: 'M8 5.5a2 2 0 10-2-2M7 5.2L4.5 10M4.5 10a2 2 0 102 2.5h5M9 5.2l2.5 4.8M11.5 10a2 2 0 11-1 3.8',
} as const

export type IconName = keyof typeof outlines

/** An icon beside words that say the same. */
export const icon = (name: IconName): Markup => html`<svg class="i" aria-hidden="true"><use href="#i-${name}"/></svg>`

/** The outlines and patterns that every page has once, for its icons and gauges to refer to. */
export const sprite: Markup = html`<svg class="sprite" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="1" y1="0" x2="1" y2="6"/></pattern></defs>${Object.entries(
  outlines,
).map(([name, d]) => html`<symbol id="i-${name}" viewBox="0 0 16 16"><path d="${d}"/></symbol>`)}</svg>`

/** The mark of Weir. */
export const mark: Markup = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path class="mark-b" d="M2.5 4v16M21.5 4v16M2.5 20h19"/><path class="mark-a" d="M6 8.5c2 0 2-1.5 4-1.5s2 1.5 4 1.5 2-1.5 4-1.5M6 12.5c2 0 2-1.5 4-1.5s2 1.5 4 1.5 2-1.5 4-1.5"/><path class="mark-a" d="M7 16h10"/></svg>`
