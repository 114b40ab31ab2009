import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amazonMessage } from '../../test/support/bedrock.ts'
import { AmazonEventScanner, amazonErrorMessage } from './amazon-events.ts'

const chunk = (event: object) =>
  amazonMessage(
    { ':event-type': 'chunk', ':message-type': 'event' },
    { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' },
  )
const events = [
  { type: 'message_start', message: { usage: { input_tokens: 3 } } },
  { type: 'content_block_delta', delta: { text: 'añ\n\n"}🙂' } },
  { type: 'message_stop' },
]
const stream = Buffer.concat(events.map(chunk))

test('events are the same however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 40 }), (cuts) => {
      const scanner = new AmazonEventScanner()
      const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
      const seen = places.slice(1).flatMap((end, i) => scanner.push(stream.subarray(places[i], end)))
      expect(seen.map(({ data }) => JSON.parse(data ?? '') as unknown)).toEqual(events)
      expect(Buffer.concat(seen.map(({ bytes }) => bytes)).toString()).toBe(
        events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      )
    }),
  )
})

test('an error of the service becomes an error of the model, also one that the gateway wrote', () => {
  const theirs = amazonMessage(
    { ':exception-type': 'throttlingException', ':message-type': 'exception' },
    { message: 'slow down' },
  )
  const ours = amazonErrorMessage('internalServerException', { message: 'it broke' })
  expect(new AmazonEventScanner().push(Buffer.concat([theirs, ours])).map(({ bytes }) => bytes.toString())).toEqual([
    'event: error\ndata: {"type":"error","error":{"type":"throttlingException","message":"slow down"}}\n\n',
    'event: error\ndata: {"type":"error","error":{"type":"internalServerException","message":"it broke"}}\n\n',
  ])
})

test.each([
  ['a changed byte', Buffer.from(stream.map((byte, i) => (i === 40 ? byte ^ 1 : byte)))],
  ['a length that no message has', Buffer.alloc(16, 0xff)],
  ['a length shorter than a message', Buffer.alloc(16)],
])('%s is no stream of Amazon’s', (_, bytes) => {
  expect(() => new AmazonEventScanner().push(bytes)).toThrow(/./)
})
