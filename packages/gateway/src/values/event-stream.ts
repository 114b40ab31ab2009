/** One event of a stream of server-sent events. */
export interface StreamEvent {
  /** The bytes as they came, with the empty line that ends the event. */
  readonly bytes: Buffer
  /** The lines of data, joined; undefined where there are none. */
  readonly data: string | undefined
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * A scanner that cuts bytes into events, wherever the pieces in which they arrive end. It looks at bytes, so a character that is cut in
 * two is no concern of its.
 */
export class EventScanner {
  #pending: Buffer = Buffer.alloc(0)
  /** The beginning of the line at which the search for the end of an event goes on. */
  #line = 0

  /** True where no event is open. */
  get isBetween(): boolean {
    return this.#pending.length === 0
  }

  push(chunk: Buffer): StreamEvent[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const events: StreamEvent[] = []
    let begin = 0
    let line = this.#line
    for (;;) {
      const end = this.#pending.indexOf(lineFeed, line)
      if (end < 0) break
      const isEmpty = end === line || (end === line + 1 && this.#pending[line] === carriageReturn)
      line = end + 1
      if (!isEmpty) continue
      const bytes = this.#pending.subarray(begin, line)
      events.push({ bytes, data: dataIn(bytes) })
      begin = line
    }
    this.#pending = this.#pending.subarray(begin)
    this.#line = line - begin
    return events
  }

  /** Returns what came after the last complete event: an event where the stream ended without its empty line. */
  rest(): StreamEvent | undefined {
    return this.#pending.length === 0 ? undefined : { bytes: this.#pending, data: dataIn(this.#pending) }
  }
}

/** True where a line begins with `data:`. */
const isData = (bytes: Buffer, at: number) =>
  bytes[at] === 0x64 &&
  bytes[at + 1] === 0x61 &&
  bytes[at + 2] === 0x74 &&
  bytes[at + 3] === 0x61 &&
  bytes[at + 4] === 0x3a

function dataIn(bytes: Buffer): string | undefined {
  let data: string | undefined
  let start = 0
  while (start < bytes.length) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    if (isData(bytes, start)) {
      const from = bytes[start + 5] === 0x20 ? start + 6 : start + 5
      const to = bytes[end - 1] === carriageReturn ? end - 1 : end
      const line = bytes.toString('utf8', from, to)
      data = data === undefined ? line : `${data}\n${line}`
    }
    start = end + 1
  }
  return data
}
