import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventScanner } from './event-stream.ts'

const pieces = (bytes: Buffer, sizes: readonly number[]) => {
  const cut: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1
    cut.push(bytes.subarray(at, at + size))
    at += size
  }
  return cut
}

test('events are the same however the stream is cut, and no byte is lost', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' '))
  fc.assert(
    fc.property(
      fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
      (events, newline, sizes) => {
        const bytes = Buffer.from(
          events
            .map((lines) => `event: x${newline}${lines.map((text) => `data: ${text}${newline}`).join('')}${newline}`)
            .join(''),
        )
        const scanner = new EventScanner()
        const seen = pieces(bytes, sizes).flatMap((piece) => scanner.push(piece))
        expect(seen.map(({ data }) => data)).toEqual(events.map((lines) => lines.join('\n')))
        expect(Buffer.concat(seen.map((event) => event.bytes))).toEqual(bytes)
        expect(scanner.rest()).toBeUndefined()
      },
    ),
    { numRuns: 500 },
  )
})

test('what follows the last empty line is the rest, and a comment has no data', () => {
  const scanner = new EventScanner()
  expect(scanner.push(Buffer.from(': ping\n\ndata:{"a":1}')).map(({ data }) => data)).toEqual([undefined])
  expect(scanner.rest()?.data).toBe('{"a":1}')
})
