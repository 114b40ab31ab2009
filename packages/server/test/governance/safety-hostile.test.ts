import { expect, test } from 'vitest'
import { detectors } from '../../src/governance/safety/detectors.ts'
import { assertPatterns, compileSafety, inspect } from '../../src/governance/safety/safety.ts'
import { type SafetyDraft, withDetectorDefaults } from '../../src/governance/safety/settings.ts'
import { leastTurnMs } from '../support/turns.ts'

const mostMs = 20
const leastTurn = (work: () => Promise<unknown>) => leastTurnMs(work, mostMs / 2)
const length = 65_536
const filled = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const tossed = (letters: string) => {
  let state = 7
  return Array.from(
    { length },
    () => letters[(state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647) % letters.length],
  ).join('')
}

/** As large as `/v1` accepts them, and as hard to read as we could make them. */
const hostileTexts: Readonly<Record<string, string>> = {
  digits: filled('1234567890'),
  'cards in a row': filled('4111 1111 1111 1111 '),
  'single digits': filled('4 1 '),
  'pairs of digits': filled('01 23 45 67 89 '),
  'addresses begun': filled('a@'),
  addresses: filled('a@b.co '),
  'quoted ats': filled('"@'),
  base64: filled('aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnMg'),
  'base64 lines': filled('QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU2Nzg5 '),
  'zero-width': filled('\u200b'),
  'zero-width between': filled('4\u200b1\u200c'),
  tags: filled('\u{e0041}'),
  'mathematical digits': filled('\u{1d7d2}\u{1d7cf}'),
  families: filled('👩‍👩‍👧'),
  'numbers of accounts': filled('GB29 NWBK 6016 1331 9268 1 '),
  'keys begun': filled('sk-ant-'),
  'tokens begun': filled('eyJhbGciOi.'),
  assignments: filled('password='),
  'addresses of machines': filled('http://a:b'),
  'orders begun': filled('ignore all all '),
  turns: filled('\nsystem '),
  comments: filled('<!--'),
  pictures: filled('![a](http://x?'),
  'plus signs': filled('+49 30 1234'),
  letters: filled('a'),
  spaces: filled(' '),
  'dotted capitals': filled('İ'),
}

const everything: SafetyDraft = {
  detectors: Object.fromEntries(detectors.map(({ name }) => [name, { mode: 'block' as const, threshold: 100 }])),
  allow_list: Array.from({ length: 200 }, (_, i) => `a@b.co ${'a'.repeat(150)}${i}`),
}

test('no text holds the event loop for longer than a moment', async () => {
  const check = compileSafety(withDetectorDefaults(everything))
  const held: Record<string, number> = {}
  for (const [name, text] of Object.entries(hostileTexts)) held[name] = await leastTurn(() => inspect(check, text))
  const worst = Object.entries(held).sort(([, a], [, b]) => b - a)
  console.log(
    'longest turns (ms):',
    worst
      .slice(0, 5)
      .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
      .join(', '),
  )
  expect(worst.filter(([, ms]) => ms > mostMs)).toEqual([])
})

test('fifty texts hold it no longer than one', async () => {
  const check = compileSafety(withDetectorDefaults(everything))
  const parts = Array.from({ length: 50 }, (_, i) => hostileTexts['addresses']!.slice(0, 1_300) + i)
  expect(await leastTurn(() => inspect(check, parts))).toBeLessThan(mostMs)
})

/** Patterns that stall engines that try again, or that need exponentially many states. */
const hostilePatterns: readonly (readonly [pattern: string, text: string])[] = [
  ['(a+)+$', filled('a')],
  ['(a|a)*b|c!', `${filled('a').slice(1)}b`],
  ['(.*a){20}', filled('a')],
  ['(a?){50}a{50}', filled('ab')],
  ['(a|b)*a(a|b){30}[cd]', tossed('ab')],
  ['(?:a|b)*a(?:a|b){110}[cd]', tossed('ab')],
  ['\\b[ab]*a[ab]{100}\\b', tossed('ab')],
  ['\\w*\\d\\w{60}[!?]', tossed('abcdef0123456789')],
  ['(x+x+)+y|z', filled('x')],
  ['a.*b|a', filled('a')],
  ['(?:[a-z]+\\d?){1,50}[#~]', tossed('abc0')],
  ['[\\p{L}\\p{N}]{200}[!]', filled('a')],
  ['(((a{3}){3}){3}){3}', filled('a')],
  ['(?:(?:a|b|ab|ba){1,10}c?){1,6}[!]', tossed('abc')],
]

test('no own pattern that is accepted holds the event loop for longer than a moment', async () => {
  const held: [string, number][] = []
  for (const [pattern, text] of hostilePatterns) {
    const draft: SafetyDraft = { patterns: [{ name: 'p', pattern, mode: 'block' }] }
    await expect(assertPatterns(draft, ''), pattern).resolves.toBeUndefined()
    const check = compileSafety(withDetectorDefaults(draft))
    held.push([pattern, await leastTurn(() => inspect(check, text.slice(0, 16_384)))])
  }
  held.sort(([, a], [, b]) => b - a)
  console.log(
    'longest turns (ms):',
    held
      .slice(0, 5)
      .map(([pattern, ms]) => `${pattern} ${ms.toFixed(1)}`)
      .join(', '),
  )
  expect(held.filter(([, ms]) => ms > mostMs)).toEqual([])
})

test('checking fifty patterns gives way in between', async () => {
  const patterns = Array.from({ length: 50 }, (_, i) => ({
    name: `p${i}`,
    pattern: `${'[^\\pL\\pM\\pN\\pS\\pP\\pZ\\pC]'.repeat(3)}|\\pL{${10 + (i % 20)}}${i}`,
    mode: 'block' as const,
  }))
  expect(await leastTurn(() => assertPatterns({ patterns }, '').catch(() => undefined))).toBeLessThan(mostMs)
})

test('a clean text of the largest size takes a few milliseconds in all', async () => {
  const prose = filled(
    'Dear team, the invoice for order 48213 of 12 March 2024 was sent to the customer; please note that the system prints a copy and tell me which policies apply (see page 12, section 3.4). ',
  )
  const check = compileSafety(withDetectorDefaults(everything))
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 10; i++) {
    const before = process.threadCpuUsage()
    expect(await inspect(check, prose)).toEqual([])
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  console.log(`64 KiB of prose under all detectors: ${least.toFixed(1)} ms`)
  // A third of what was measured when this was written would be as good; ten times as much means that a prefilter is gone.
  expect(least).toBeLessThan(60)
})
