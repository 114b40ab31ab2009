import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { dialectNamed } from '../dialects/dialects.ts'
import { EventScanner } from '../values/event-stream.ts'
import { normalised } from '../values/text-bound.ts'
import type { CountAnswer, CountRequest } from './token-counter.ts'

/** The thread of the token counter: reads the events of an answer again, and counts the tokens of the text in them. */

/** A run that a tokenizer takes as one piece, for which it needs time that grows with the square of its length. */
const longRun = /\S{256}|\s{256}/gu

/** Counts the tokens of a text; long runs are cut, which adds a few. */
function tokensOf(text: string): number {
  let tokens = 0
  let from = 0
  const count = (end: number) => {
    tokens += countTokens(text.slice(from, end), { disallowedSpecial: new Set<string>() })
    from = end
  }
  for (const { index, 0: run } of text.matchAll(longRun)) count(index + run.length)
  count(text.length)
  return tokens
}

parentPort?.on('message', ({ id, dialect, input, events }: CountRequest) => {
  const speaker = dialectNamed(dialect)
  const text = new EventScanner()
    .push(Buffer.from(events))
    .map(({ data }) => (data === undefined ? '' : speaker.generatedText(data)))
    .join('')
  const answer: CountAnswer = {
    id,
    input: input === undefined ? undefined : tokensOf(normalised(input)),
    output: tokensOf(text),
  }
  parentPort?.postMessage(answer, [])
})
