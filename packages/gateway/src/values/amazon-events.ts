import { EventStreamCodec } from '@smithy/core/event-streams'
import type { StreamEvent } from './event-stream.ts'

/**
 * Amazon's binary stream of events, as Bedrock sends it: each message has its length in front, headers, checksums, and in its body an event of
 * the model, as base64.
 */

export const amazonStreamType = 'application/vnd.amazon.eventstream'

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
)
const preludeBytes = 12
/** The longest message that Amazon allows: 16 MiB of payload and 128 KiB of headers. */
const longestMessage = 16_777_216 + 131_072 + 16

/**
 * A scanner that cuts Amazon's bytes into events, wherever the pieces in which they arrive end. The bytes of an event are those of a server-sent
 * event that says the same. It throws for bytes that are no such stream.
 */
export class AmazonEventScanner {
  #pending: Buffer = Buffer.alloc(0)

  /** True where no event is open. */
  get isBetween(): boolean {
    return this.#pending.length === 0
  }

  push(chunk: Buffer): StreamEvent[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const events: StreamEvent[] = []
    while (this.#pending.length >= preludeBytes) {
      const length = this.#pending.readUInt32BE(0)
      if (length < preludeBytes + 4 || length > longestMessage)
        throw new Error(`a message of ${length} bytes is none of Amazon's`)
      if (this.#pending.length < length) break
      const data = dataIn(this.#pending.subarray(0, length))
      this.#pending = this.#pending.subarray(length)
      if (data !== undefined) events.push({ bytes: serverSent(data), data })
    }
    return events
  }

  /** A stream that ends within a message has lost it. */
  rest(): StreamEvent | undefined {
    return undefined
  }
}

/** Returns the event of the model that a message holds, or the error that it reports in the form of the model's errors. */
function dataIn(message: Buffer): string | undefined {
  const { headers, body } = codec.decode(message)
  const text = Buffer.from(body).toString('utf8')
  const header = (name: string) => headers[name]?.value
  if (header(':message-type') !== 'event') {
    const type = String(header(':exception-type') ?? header(':error-code') ?? 'unknown')
    return JSON.stringify({
      type: 'error',
      error: { type, message: messageIn(text) ?? header(':error-message') ?? '' },
    })
  }
  if (header(':event-type') !== 'chunk') return undefined
  const { bytes } = JSON.parse(text) as { bytes?: unknown }
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : undefined
}

function messageIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { message?: unknown }).message
  } catch {
    return undefined
  }
}

/** Writes an event of the model as a server-sent event, on one line. */
function serverSent(data: string): Buffer {
  const event = JSON.parse(data) as { type?: unknown }
  const line = /[\r\n]/.test(data) ? JSON.stringify(event) : data
  const type = typeof event.type === 'string' && /^\w+$/.test(event.type) ? event.type : 'message'
  return Buffer.from(`event: ${type}\ndata: ${line}\n\n`)
}

/** Writes an error as a message of Amazon's, for a stream that has begun. */
export const amazonErrorMessage = (type: string, body: object): Buffer =>
  Buffer.from(
    codec.encode({
      headers: {
        ':message-type': { type: 'string', value: 'exception' },
        ':exception-type': { type: 'string', value: type },
        ':content-type': { type: 'string', value: 'application/json' },
      },
      body: Buffer.from(JSON.stringify(body)),
    }),
  )
