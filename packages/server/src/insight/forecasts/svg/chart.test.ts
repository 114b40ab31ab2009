import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useBrowser } from '../../../../test/support/browser.ts'
import { textWidth, truncateToWidth } from '../../../platform/drawing/markup.ts'
import { timeTicks } from '../../../platform/drawing/times.ts'
import { formatValue, tickFormatter } from '../../../platform/drawing/values.ts'
import { dayMs } from '../../../values/time.ts'
import { drawForecast } from './chart.ts'
import type { ChartPoint, ForecastChart } from './chart-model.ts'
import { downsample, downsampleForecast, maxPoints } from './chart-points.ts'

const startMs = Date.parse('2026-11-16T00:00:00Z')

const past = (count: number, value: (i: number) => number, stepMs = dayMs) =>
  Array.from({ length: count }, (_, i) => ({ atMs: startMs - (count - i) * stepMs, value: value(i) }))
const ahead = (count: number, value: (i: number) => number, stepMs = dayMs) =>
  Array.from({ length: count }, (_, i) => ({ atMs: startMs + i * stepMs, value: value(i) }))
const expected = (count: number, mean: number, width: (i: number) => number, stepMs = dayMs): ChartPoint[] =>
  ahead(count, () => mean, stepMs).map(({ atMs }, i) => {
    const around = (times: number) => [mean - times * width(i), mean + times * width(i)] as const
    return { atMs, mean, p50: around(1), p80: around(2), p95: around(3) }
  })

const plain: ForecastChart = {
  title: 'Cost of the whole organization',
  unit: 'usd',
  timezone: 'UTC',
  history: past(60, (i) => 100 + i),
  forecast: expected(30, 160, (i) => 3 + i / 4),
  scenarios: [],
  limits: [],
  confidence: 'high',
}

const hostile = [
  '</text><script>globalThis.isBroken = true</script>',
  '"><img src=x onerror="globalThis.isBroken = true">',
  "' onload='globalThis.isBroken = true",
  ']]><!-- & &amp; &#x3c;script&#x3e; <?xml?>',
  'java\u0000script:\u0008\u001b\ud800\ufffe\u0085',
]
const limit = (name: string, more: Partial<ForecastChart['limits'][number]> = {}) => ({
  name,
  perStep: null,
  exhaustedAtMs: null,
  earliestMs: null,
  latestMs: null,
  ...more,
})

const crowded: ForecastChart = {
  ...plain,
  title: `${hostile[0]} ${'A title without an end '.repeat(20)}`,
  timezone: 'Pacific/Chatham',
  history: past(26, (i) => 9_000 + 300 * i, 7 * dayMs),
  forecast: expected(26, 17_000, (i) => 300 + 90 * i, 7 * dayMs),
  scenarios: Array.from({ length: 12 }, (_, i) => ({
    name: hostile[i] ?? `Scenario ${i} ${'of many words '.repeat(i)}`,
    points: ahead(26, (step) => 17_000 + 90 * step * (i - 4), 7 * dayMs),
  })),
  limits: Array.from({ length: 11 }, (_, i) =>
    limit(hostile[i] ?? `Limit ${i} ${'with a long name '.repeat(i)}`, {
      perStep: i < 4 ? 24_000 + 200 * i : null,
      exhaustedAtMs: i % 3 === 0 ? null : startMs + 12 * i * dayMs,
      earliestMs: i % 4 === 3 ? null : startMs + (12 * i - 9) * dayMs,
      latestMs: i % 2 === 1 ? null : startMs + (12 * i + 12) * dayMs,
    }),
  ),
  confidence: 'low',
}

const shapes: Record<string, ForecastChart> = {
  plain,
  crowded,
  'nothing at all': { ...plain, history: [], forecast: [], confidence: 'low' },
  'no forecast': { ...plain, forecast: [], confidence: 'low' },
  'no history': { ...plain, history: [] },
  'one point of each': { ...plain, history: past(1, () => 5), forecast: expected(1, 6, () => 1) },
  'all zero': {
    ...plain,
    history: past(30, () => 0),
    forecast: expected(30, 0, () => 0),
    limits: [limit('b', { perStep: 9 })],
  },
  'below zero': { ...plain, history: past(40, (i) => 30 * (i - 20)) },
  'numbers that are none': {
    ...plain,
    history: [...plain.history, { atMs: Number.NaN, value: 1 }, { atMs: startMs, value: Number.POSITIVE_INFINITY }],
    forecast: [...plain.forecast, { ...plain.forecast[0]!, mean: Number.NaN }],
    limits: [limit('none', { perStep: Number.NaN })],
  },
  'very much': {
    ...plain,
    unit: 'tokens',
    history: past(30, (i) => 1e15 + 1e13 * i),
    forecast: expected(30, 1e15, () => 1e14),
  },
  'very little': { ...plain, history: past(30, (i) => 1e-8 * (1 + i)), forecast: expected(30, 2e-7, () => 1e-8) },
  'doubt without end': { ...plain, forecast: expected(60, 160, (i) => 10 ** (i / 4)) },
  'three years': { ...plain, history: past(1_100, (i) => 100 + (i % 7)), forecast: expected(180, 104, () => 3) },
}

describe('a drawing', () => {
  test('is the same text for the same picture', () => {
    expect(drawForecast(crowded)).toBe(drawForecast(structuredClone(crowded)))
  })

  test.each(Object.entries(shapes))('of %s has a number wherever it needs one', (_name, picture) => {
    const svg = drawForecast(picture)
    expect(svg).not.toMatch(/NaN|Infinity|undefined|null/)
    expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" ')).toBe(true)
  })

  test('refers to nothing outside and has nothing to run', () => {
    for (const picture of Object.values(shapes)) {
      const svg = drawForecast(picture)
      const tags = new Set(Array.from(svg.matchAll(/<([a-z]+)/g), ([, tag]) => tag))
      const known = new Set(['svg', 'title', 'desc', 'style', 'rect', 'g', 'text', 'line', 'path', 'circle'])
      expect([...tags].filter((tag) => !known.has(tag!))).toEqual([])
      const attributes = Array.from(svg.replace(/>[^<]*</g, '><').matchAll(/ ([a-zA-Z:-]+)="/g), ([, name]) => name!)
      expect(attributes.filter((name) => /^on|href|src|^style$|^id$/.test(name))).toEqual([])
      expect(svg).not.toMatch(/url\(|@import/)
    }
  })

  test('stays small, however long the series are', () => {
    const long = 40_000
    const points = ahead(long, (i) => Math.sin(i / 40))
    const svg = drawForecast({
      ...crowded,
      history: past(long, (i) => i % 977),
      forecast: expected(long, 500, (i) => 1 + (i % 50)),
      scenarios: Array.from({ length: 50 }, (_, i) => ({ name: 'x'.repeat(10_000) + i, points })),
      limits: Array.from({ length: 500 }, (_, i) => limit('y'.repeat(10_000) + i)),
      title: 'z'.repeat(100_000),
    })
    expect(svg.length).toBeLessThan(300_000)
  })

  test('says in words what it shows', () => {
    const svg = drawForecast({
      ...plain,
      scenarios: [{ name: 'Twice & more', points: ahead(30, () => 320) }],
      limits: [
        limit('Budget', {
          exhaustedAtMs: startMs + 9 * dayMs,
          earliestMs: startMs + 7 * dayMs,
          latestMs: startMs + 12 * dayMs,
        }),
        limit('Quota', { exhaustedAtMs: startMs + 20 * dayMs, earliestMs: startMs + 15 * dayMs }),
        limit('Plan'),
      ],
      confidence: 'medium',
    })
    expect(/<title>(.*?)<\/title>/.exec(svg)![1]).toBe('Cost of the whole organization')
    expect(/<desc>(.*?)<\/desc>/.exec(svg)![1]).toBe(
      'US dollars per day, dates in UTC. History from 17 Sep 2026 to 15 Nov 2026, ending at $159. The forecast reaches $160 on 15 Dec 2026: with 50 percent probability between $149.75 and $170.25, with 80 percent between $139.50 and $180.50, with 95 percent between $129.25 and $190.75. Scenario Twice &amp; more reaches $320 on 15 Dec 2026. Limit Budget would be exhausted: about 25 Nov 2026, between 23 Nov 2026 and 28 Nov 2026. Limit Quota would be exhausted: about 6 Dec 2026, 1 Dec 2026 at the earliest. Limit Plan would be exhausted: not within this forecast. Confidence: medium.',
    )
  })

  test('gives the forecast a quarter of the width, however long the past', () => {
    const shown = (history: number, horizon: number) => {
      const svg = drawForecast({ ...plain, history: past(history, (i) => i), forecast: expected(horizon, 1, () => 1) })
      return /History from (.*?) to/.exec(svg)![1]
    }
    expect(shown(365, 30)).toBe('18 Aug 2026')
    expect(shown(365, 61)).toBe('20 May 2026')
    expect(shown(365, 180)).toBe('16 Nov 2025')
    expect(shown(40, 30)).toBe('7 Oct 2026')
  })

  test('warns where confidence is low, and only there', () => {
    expect(drawForecast({ ...plain, confidence: 'low' })).toContain('>Low confidence: ')
    expect(drawForecast(shapes['no forecast']!)).toContain('>This history is not enough for a forecast')
    expect(drawForecast({ ...plain, confidence: 'medium' })).not.toContain('Low confidence')
  })

  test('tells scenarios apart without colours', () => {
    const scenarios = Array.from({ length: 10 }, (_, i) => ({ name: `s${i}`, points: ahead(9, (step) => i + step) }))
    const svg = drawForecast({ ...plain, scenarios })
    const looks = Array.from(
      svg.matchAll(/stroke-dasharray="([^"]+)"[^>]*stroke-linejoin="round"\/><path d="([^"]+)"/g),
    )
    expect(looks.length).toBe(10)
    expect(new Set(looks.map(([, dashes, mark]) => `${dashes} ${mark}`)).size).toBe(10)
  })
})

describe('in a browser', () => {
  const chromium = useBrowser()

  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    page = await chromium.browser.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('request', (request) => complaints.push(request.url()))
  })

  /** Looks at a drawing inside a page itself, which is where the most can go wrong. */
  async function look(svg: string) {
    complaints = []
    await page.setContent(`<!doctype html><body>${svg}</body>`)
    const found = await page.evaluate(`(() => {
      const text = ${JSON.stringify(svg).replaceAll('<', '\\u003c')}
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
      const sheet = document.querySelector('svg').getBoundingClientRect()
      const boxes = [...document.querySelectorAll('svg text')].map((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect()
        return { text: text.textContent, left, right, top: top + 3, bottom: bottom - 3 }
      })
      const isOutside = (box) => box.left < sheet.left + 4 || box.right > sheet.right - 4 || box.bottom > sheet.bottom - 4
      const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
      return {
        isBroken: globalThis.isBroken === true,
        fault: parsed.querySelector('parsererror')?.textContent ?? null,
        foreign: document.querySelectorAll('script, img, image, a, use, foreignObject').length,
        texts: boxes.map((box) => box.text),
        outside: boxes.filter(isOutside).map((box) => box.text),
        meeting: boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => meet(a, b)).map((b) => a.text + ' / ' + b.text)),
      }
    })()`)
    return { ...(found as Record<string, unknown> & { texts: string[] }), complaints }
  }

  test.each(Object.entries(shapes))('no text of %s leaves the sheet or meets another', async (_name, picture) => {
    const found = await look(drawForecast(picture))
    expect(found).toMatchObject({ fault: null, outside: [], meeting: [], complaints: [] })
  })

  test.each(hostile)('%j is a name and nothing more, wherever it stands', async (name) => {
    const found = await look(
      drawForecast({
        ...plain,
        title: name,
        scenarios: [{ name, points: ahead(30, () => 200) }],
        limits: [limit(name, { perStep: 210, exhaustedAtMs: startMs })],
      }),
    )
    expect(found).toMatchObject({ isBroken: false, fault: null, foreign: 0, complaints: [] })
    const shown = name.slice(0, 14).replaceAll(/[\p{Cc}\p{Cs}\ufffe]/gu, '\ufffd')
    expect(found.texts.filter((text) => text.includes(shown)).length).toBe(4)
  })
})

describe('the axes', () => {
  test.each([
    ['usd', [0, 200, 400, 600], '$0 $200 $400 $600'],
    ['usd', [0, 0.5, 1, 1.5], '$0 $0.50 $1.00 $1.50'],
    ['usd', [0, 0.02, 0.04], '$0 $0.02 $0.04'],
    ['usd', [0, 5_000, 10_000], '$0 $5k $10k'],
    ['usd', [-1_000, 0, 1_000], '−$1,000 $0 $1,000'],
    ['runs', [0, 2_000, 4_000], '0 2,000 4,000'],
    ['tokens', [0, 500_000, 1_000_000, 1_500_000], '0 0.5M 1.0M 1.5M'],
    ['tokens', [0, 2e9, 4e9], '0 2B 4B'],
  ] as const)('write values of %s as people do: %j', (unit, ticks, text) => {
    expect(ticks.map(tickFormatter(unit, ticks)).join(' ')).toBe(text)
  })

  test.each([
    ['usd', 0, '$0'],
    ['usd', 900, '$900'],
    ['usd', 12.345, '$12.35'],
    ['usd', -12.5, '−$12.50'],
    ['usd', 0.0123, '$0.0123'],
    ['usd', 1_234.5, '$1,235'],
    ['usd', 24_000, '$24k'],
    ['usd', 1_250_000, '$1.25M'],
    ['runs', 3.2, '3.2'],
    ['runs', 9_999, '9,999'],
    ['tokens', 7_000_000_000, '7B'],
  ] as const)('write %s %d as %s', (unit, value, text) => {
    expect(formatValue(unit, value)).toBe(text)
  })

  test('begin days, weeks, months and years where the zone’s calendar does', () => {
    const ticks = (days: number, zone: string) =>
      timeTicks(startMs - days * dayMs, startMs, zone, 8).map(({ atMs, label, year = '' }) => [
        new Date(atMs).toISOString(),
        `${label} ${year}`.trim(),
      ])
    expect(ticks(5, 'Asia/Kolkata')[0]).toEqual(['2026-11-11T18:30:00.000Z', '12 Nov 2026'])
    expect(ticks(40, 'Europe/Berlin').slice(0, 3)).toEqual([
      // Clocks go back on 25 October: midnight is an hour later from then on.
      ['2026-10-11T22:00:00.000Z', '12 Oct 2026'],
      ['2026-10-18T22:00:00.000Z', '19 Oct'],
      ['2026-10-25T23:00:00.000Z', '26 Oct'],
    ])
    expect(ticks(400, 'UTC').map(([, label]) => label)).toEqual([
      'Nov 2025',
      'Jan 2026',
      'Mar',
      'May',
      'Jul',
      'Sep',
      'Nov',
    ])
    expect(ticks(2_000, 'UTC').map(([, label]) => label)).toEqual(['2022', '2023', '2024', '2025', '2026'])
  })
})

describe('thinning', () => {
  test('keeps every peak, the order and the ends of time, and leaves short series alone', () => {
    const points = past(20_000, (i) => (i === 12_345 ? 1_000 : i === 4_321 ? -1_000 : Math.sin(i)))
    const kept = downsample(points)
    expect(kept.length).toBeLessThanOrEqual(maxPoints)
    expect(kept).toContainEqual(points[12_345])
    expect(kept).toContainEqual(points[4_321])
    expect(kept.map(({ atMs }) => atMs)).toEqual(kept.map(({ atMs }) => atMs).sort((a, b) => a - b))
    expect(downsample(points.slice(0, maxPoints))).toEqual(points.slice(0, maxPoints))
  })

  test('never makes an interval narrower', () => {
    const points = expected(5_000, 10, (i) => (i === 2_500 ? 400 : 1))
    const kept = downsampleForecast(points)
    expect(kept.length).toBeLessThanOrEqual(maxPoints)
    expect(Math.max(...kept.map(({ p80 }) => p80[1]))).toBe(810)
    expect(Math.min(...kept.map(({ p95 }) => p95[0]))).toBe(-1_190)
  })
})

test('a text is cut to its width, never inside a character', () => {
  expect(truncateToWidth('short', 100, { px: 12 })).toBe('short')
  expect(truncateToWidth('😀'.repeat(50), 60, { px: 12 })).toBe('😀😀😀…')
  expect(textWidth(truncateToWidth('m'.repeat(500), 200, { px: 12 }), { px: 12 })).toBeLessThanOrEqual(200)
})
