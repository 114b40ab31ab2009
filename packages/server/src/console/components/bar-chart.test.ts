import { describe, expect, test } from 'vitest'
import { barChart, type ChartBar, seriesClass } from './bar-chart.ts'
import { sparkline } from './sparkline.ts'

const value = (amount: number) => ({ amount, text: `$${amount}` })
const barOf = (index: number, amounts: readonly number[], more: Partial<ChartBar> = {}): ChartBar => ({
  label: `Day ${index}`,
  tick: String(index),
  values: amounts.map(value),
  total: value(amounts.reduce((sum, amount) => sum + amount, 0)),
  ...more,
})

const draw = async (bars: readonly ChartBar[], more: Partial<Parameters<typeof barChart>[0]> = {}) =>
  (
    await barChart({ sentence: 'Spend', period: 'Day', series: ['a', 'b'], bars, axisText: (n) => `$${n}`, ...more })
  ).toString()

/** Rectangles of the wide drawing: class, top and height. */
const boxes = (html: string) =>
  [
    ...html
      .slice(0, html.indexOf('</svg>'))
      .matchAll(/<rect class="(\w+)" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/g),
  ].map(([, name, y, height]) => ({ name, y: Number(y), height: Number(height) }))

describe('a chart of bars', () => {
  test('draws each series in proportion, from 0 up, one upon the other', async () => {
    const [first, second] = boxes(await draw([barOf(1, [30, 60])]))
    expect(first).toMatchObject({ name: 'c1', y: expect.closeTo(234 - first!.height, 1) })
    expect(second!.name).toBe('c2')
    expect((second!.height + 1) / first!.height).toBeCloseTo(2, 1)
    expect(first!.y - (second!.y + second!.height)).toBeCloseTo(1, 1)
  })

  test('has at most five lines of grid, whatever the values', async () => {
    for (const amount of [0, 1e-6, 0.3, 1, 7, 11, 99, 101, 333, 650, 9_999, 1.7e7]) {
      const wide = (await draw([barOf(1, [amount, 0])])).split('</svg>')[0]!
      const lines = wide.match(/class="ax0?"/g) ?? []
      expect(lines.length, String(amount)).toBeLessThanOrEqual(5)
      expect(lines.length, String(amount)).toBeGreaterThanOrEqual(2)
      expect(wide).not.toContain('NaN')
    }
  })

  test('always names the period that runs now, in bold, however narrow', async () => {
    const bars = Array.from({ length: 90 }, (_, index) => barOf(index, [1, 1], { isNow: index === 41 }))
    const html = await draw(bars)
    expect(html.match(/<text class="b"[^>]*>41</g)).toHaveLength(2)
    expect(html.split('</svg>')[1]!.match(/text-anchor="middle"/g)!.length).toBeLessThan(30)
  })

  test('draws what is expected as a ghost with its ranges, and says them', async () => {
    const expected = { mean: value(50), half: [45, 55] as const, most: [value(40), value(60)] as const }
    const html = await draw([barOf(1, [10, 10], { isNow: true }), barOf(2, [0, 0], { expected })])
    expect(html).toContain('Day 2, expected: $50\n4 of 5 times between $40 and $60')
    const byName = (name: string) => boxes(html).find((box) => box.name === name)!
    expect(byName('p80').height / byName('p50').height).toBeCloseTo(2, 1)
    expect(html).toContain('<td class="n nowrap">$40 to $60</td>')
  })

  test('leaves out a limit that would flatten everything, and draws one within reach', async () => {
    const limits = [
      { name: 'Near', amount: 30 },
      { name: 'Far', amount: 3_000 },
    ]
    const html = await draw([barOf(1, [10, 10])], { limits })
    expect(html).toContain('>Near</text>')
    expect(html).not.toContain('>Far</text>')
  })

  test('shows names as text', async () => {
    const html = await draw([barOf(1, [10, 10])], { series: ['<i>x</i>', 'b'] })
    expect(html).not.toContain('<i>')
    expect(html).toContain('&lt;i&gt;x&lt;/i&gt; $10')
  })

  test('gives others the grey, and no seventh colour', () => {
    const series = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    expect(seriesClass({ series, hasOthers: true }, 7)).toBe('c0')
    expect(seriesClass({ series }, 6)).toBe('c0')
    expect(seriesClass({ series }, 5)).toBe('c6')
  })
})

test('a sparkline marks its last bar and says what it shows', async () => {
  const html = (await sparkline([1, 0, 4], '5 in three days')).toString()
  expect(html).toContain('role="img" aria-label="5 in three days"')
  expect(html.match(/<rect/g)).toHaveLength(3)
  expect(html).toMatch(/class="hot"[^>]*height="20\.00"/)
})
