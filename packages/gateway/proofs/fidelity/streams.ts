import type { Dialect } from '../../src/dialects/dialect.ts'
import { textOf, written } from '../bounds/texts.ts'
import type { Random } from '../support/random.ts'

/** A stream of a provider, event by event. */
export interface GeneratedStream {
  readonly events: readonly Buffer[]
  /** The event that says what was used, where only the gateway asked for it. */
  readonly usageEvent: number | undefined
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

type Value = Readonly<Record<string, unknown>>

/** Makes a stream of a dialect, with what may stand in one: comments, odd spaces, several lines, unknown events, any text. */
export function generateStream(random: Random, dialect: Dialect['name'], length: number): GeneratedStream {
  const newline = random.pick(['\n', '\n', '\r\n'])
  const usage = { input_tokens: random.between(0, 100_000), output_tokens: random.between(0, 9_000) }
  const block = (value: Value | string, name?: string): Buffer => {
    const lines = typeof value === 'string' ? [value] : written(random, value, 'provider').split('\n')
    const data = lines.map((line) => `data:${random.chance(0.9) ? ' ' : ''}${line}${newline}`).join('')
    return Buffer.from(`${name === undefined ? '' : `event: ${name}${newline}`}${data}${newline}`)
  }
  const noise = (): Buffer =>
    random.pick([
      () =>
        Buffer.from(
          `: ${textOf(random, 20)
            .replaceAll(/[\r\n]/g, ' ')
            .toWellFormed()}${newline}${newline}`,
        ),
      () => block({ type: 'unheard_of', usage_note: textOf(random, 20) }, 'unheard_of'),
      () => block('not JSON at all {"usage"'),
      () => Buffer.from(`id: 7${newline}retry: 10${newline}${newline}`),
    ])()
  const content = () => textOf(random, 30)
  const middle = (make: () => Buffer) => Array.from({ length }, () => (random.chance(0.15) ? noise() : make()))
  if (dialect === 'messages') {
    const start = {
      type: 'message_start',
      message: { id: 'm', usage: { input_tokens: usage.input_tokens, output_tokens: 1 } },
    }
    const delta = () =>
      block(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: content() } },
        'content_block_delta',
      )
    const end = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: usage.output_tokens },
    }
    const events = [
      block(start, 'message_start'),
      ...middle(delta),
      block(end, 'message_delta'),
      block({ type: 'message_stop' }, 'message_stop'),
    ]
    return { events, usageEvent: undefined, usage }
  }
  if (dialect === 'responses') {
    const delta = () => block({ type: 'response.output_text.delta', delta: content() }, 'response.output_text.delta')
    const end = {
      type: 'response.completed',
      response: { id: 'r', status: 'completed', usage: { ...usage, total_tokens: 1 } },
    }
    return { events: [...middle(delta), block(end, 'response.completed')], usageEvent: undefined, usage }
  }
  if (dialect === 'gemini') {
    const counts = { promptTokenCount: usage.input_tokens, totalTokenCount: usage.input_tokens }
    const delta = () =>
      block({ candidates: [{ index: 0, content: { parts: [{ text: content() }] } }], usageMetadata: counts })
    const said = { ...counts, candidatesTokenCount: usage.output_tokens }
    const end = block({ candidates: [{ index: 0, finishReason: 'STOP' }], usageMetadata: said })
    return { events: [...middle(delta), end], usageEvent: undefined, usage }
  }
  const isText = dialect === 'completions'
  const delta = () =>
    block({
      choices: [isText ? { index: 0, text: content() } : { index: 0, delta: { content: content() } }],
      usage: null,
    })
  const said = { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens }
  const body = middle(delta)
  const events = [...body, block({ id: 'c', choices: [], usage: said }), block('[DONE]')]
  return { events, usageEvent: body.length, usage }
}
