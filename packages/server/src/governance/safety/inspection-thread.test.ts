import { afterAll, describe, expect, test } from 'vitest'
import { leastTurnMs } from '../../../test/support/turns.ts'
import { detectors } from './detectors.ts'
import { compileSafety, inspect } from './inspection.ts'
import { Inspector } from './inspection-thread.ts'
import { type SafetyDraft, withDetectorDefaults } from './settings.ts'

const longest = 1_048_576
const card = '4111 1111 1111 1111'
const filled = (text: string, length = longest) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const prose = 'Dear team, the invoice for order 48213 of 12 March 2024 was sent to the customer (see page 12). '
const checkOf = (draft: SafetyDraft) => compileSafety(withDetectorDefaults(draft))
const everything = checkOf({
  detectors: Object.fromEntries(detectors.map(({ name }) => [name, { mode: 'block' as const }])),
  patterns: [{ name: 'zeus', pattern: '\\bZEUS-\\d{4}\\b', mode: 'block' }],
  allow_list: Array.from({ length: 200 }, (_, i) => `a@b.co ${'a'.repeat(150)}${i}`),
})

/** With patience: what else the machine does must not matter. */
const inspector = new Inspector({ taskMs: 120_000 })
afterAll(() => inspector.close())

describe('an input of the largest size', () => {
  test('is inspected to its last character, wherever something begins', async () => {
    const text = filled(prose)
    for (const at of [0, 65_530, 500_000, longest - 8_192, longest - card.length - 1]) {
      const input = `${text.slice(0, at)} ${card} ${text.slice(at + card.length + 2)}`.slice(0, longest)
      expect(input.length).toBe(longest)
      const found = await inspector.inspect('a', everything, input)
      expect(found.map(({ detector }) => detector)).toEqual(['card_number'])
    }
    const tail = `${text.slice(10)} ZEUS-1234`
    expect((await inspector.inspect('a', everything, tail)).map(({ detector }) => detector)).toEqual(['custom:zeus'])
    expect(await inspector.inspect('a', everything, text)).toEqual([])
  })

  test('in parts is inspected in each of them, and finds what the thread of requests finds', async () => {
    const parts = [
      filled(prose, 500_000),
      `${filled('\u200b4\u200c', 60_000)} ${card}`,
      filled(`${card} a@b.example `, 90_000),
    ]
    const options = { includeBelowThreshold: true }
    const found = await inspector.inspect('a', everything, parts, options)
    expect(found).toEqual(await inspect(everything, parts, options))
    expect(found.length).toBeGreaterThan(1)
  })

  test('does not hold the event loop, however hard it is to read', async () => {
    const texts = ['4\u200b1\u200c', 'a@b.co ', 'aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnMg', 'İ', `${card} `]
    const held: number[] = []
    for (const text of texts) held.push(await leastTurnMs(() => inspector.inspect('a', everything, filled(text)), 10))
    console.log('longest turns (ms):', held.map((ms) => ms.toFixed(1)).join(', '))
    expect(Math.max(...held)).toBeLessThan(20)
  })
})

describe('an inspection for which there is no time', () => {
  let state = 7
  const toss = () => 'ab'[(state = Math.imul(state, 48_271) >>> 1) % 2]!
  const tossed = Array.from({ length: longest }, toss).join('')
  const slow = checkOf({
    patterns: Array.from({ length: 40 }, (_, i) => ({
      name: `p${i}`,
      pattern: `(?:a|b)*a(?:a|b){110}[c${i}]`,
      mode: 'block' as const,
    })),
  })

  test('is refused, not admitted, and takes nobody else with it', async () => {
    const impatient = new Inspector({ taskMs: 5_000 })
    const refused = impatient.inspect('a', slow, tossed)
    const others = checkOf({ detectors: { card_number: { mode: 'block' } } })
    const other = impatient.inspect('b', others, `${filled('x', 70_000)} ${card}`)
    await expect(refused).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(await other).toHaveLength(1)
    expect(await impatient.inspect('a', others, `${filled('x', 70_000)} ${card}`)).toHaveLength(1)
    await impatient.close()
  })

  test('waits its turn behind others of its organization, but not for long, and is refused when the process stops', async () => {
    const busy = new Inspector({ perOrg: 1, maxWaitingPerOrg: 1, taskMs: 60_000 })
    const all = [1, 2, 3].map(() => busy.inspect('a', slow, tossed).catch((error: { code: string }) => error.code))
    expect(await Promise.race(all)).toBe('service_unavailable')
    await busy.close()
    expect(await Promise.all(all)).toEqual(Array(3).fill('service_unavailable'))
  })
})
