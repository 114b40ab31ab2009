/** Reads a stream of server-sent events, and returns whole events as the blocks of text that they came in. */
export class SseReader {
  readonly #decoder = new TextDecoder()
  #text = ''

  read(bytes: Uint8Array | undefined): string[] {
    this.#text += this.#decoder.decode(bytes, { stream: true })
    const blocks: string[] = []
    for (;;) {
      const end = /\r?\n\r?\n|\r\r/.exec(this.#text)
      if (end === null) return blocks
      const length = end.index + end[0].length
      blocks.push(this.#text.slice(0, length))
      this.#text = this.#text.slice(length)
    }
  }

  /** Returns what came after the last whole event. */
  rest(): string[] {
    const text = this.#text + this.#decoder.decode()
    this.#text = ''
    return text === '' ? [] : [text]
  }

  eventsIn(block: string): unknown[] {
    const data = block
      .split(/\r\n|\n|\r/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).replace(/^ /, ''))
      .join('\n')
    return data === '' || data === '[DONE]' ? [] : eventsOf(data)
  }
}

/** Reads a text as JSON: its value, the elements of an array, or nothing where it is none. */
export function eventsOf(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return []
  }
}
