import type { Dialect } from '../../src/dialects/dialect.ts'
import { generateRequest } from '../bounds/requests.ts'
import { textOf, written } from '../bounds/texts.ts'
import { Random } from '../support/random.ts'
import { differenceOf } from './members.ts'
import type { Exchange, Relay } from './relay.ts'
import { type GeneratedStream, generateStream } from './streams.ts'

/** Bytes through the gateway: those that arrive are those that were sent, but for what it says that it changes. */

const paths: Partial<Record<Dialect['name'], string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  embeddings: '/v1/embeddings',
  messages: '/v1/messages',
  gemini: '/v1beta/models/{model}:generateContent',
  'gemini-embeddings': '/v1beta/models/{model}:batchEmbedContents',
}
const pathOf = (dialect: Dialect['name'], model = '') => (paths[dialect] ?? '').replace('{model}', model)
const streamPaths: Partial<typeof paths> = {
  ...paths,
  gemini: '/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse',
}

export interface Comparison {
  compared: number
  readonly faults: string[]
}

/** Headers that clients send and that must arrive as they are. */
const passed = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'one-2026-01-01, two=3',
  'x-stainless-retry-count': '0',
  'x-odd': 'a "b", c;  d=\u00e9',
  'user-agent': 'fidelity/1 (x; y)',
  accept: 'text/event-stream, */*',
}

/** Sends generated requests and whole answers through the gateway, and compares both. */
export async function compareRequests({ relay }: Relay, first: number, count: number): Promise<Comparison> {
  const result: Comparison = { compared: 0, faults: [] }
  const one = async (seed: number) => {
    const random = new Random(seed)
    const { dialect, text, model } = generateRequest(random)
    const answer = Buffer.from(written(random, { id: 'x', text: textOf(random), usage: { prompt_tokens: 1 } }))
    const status = random.pick([200, 200, 400, 429, 500])
    const chunks = cutAt(
      answer,
      Array.from({ length: random.between(0, 4) }, () => random.between(0, answer.length)),
    )
    const body = Buffer.from(text)
    const got = await relay({
      path: pathOf(dialect, model),
      body,
      headers: passed,
      status,
      type: 'application/json',
      chunks,
    })
    if (got === undefined) return
    result.compared += 1
    const difference = differenceOf(text, got.body.toString())
    if (difference !== undefined) result.faults.push(`seed ${seed}: ${difference}`)
    if (got.status !== status || !got.answer.equals(answer)) result.faults.push(`seed ${seed}: another answer`)
    for (const [name, value] of Object.entries(passed))
      if (got.headers[name] !== value) result.faults.push(`seed ${seed}: ${name} is ${String(got.headers[name])}`)
  }
  await inTurns(count, (i) => one(first + i))
  return result
}

const streamed = ['chat', 'completions', 'responses', 'messages', 'gemini'] as const

/** Only these are asked for their usage; the others say it always. */
const asksFor = (dialect: Dialect['name']) => (dialect === 'chat' || dialect === 'completions' ? [false, true] : [true])

const requests: Readonly<Record<(typeof streamed)[number], object>> = {
  chat: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], stream: true },
  completions: { model: 'gpt-4o', prompt: 'hi', stream: true },
  responses: { model: 'gpt-4o', input: 'hi', stream: true },
  messages: { model: 'claude-opus-4-8', max_tokens: 9_000, messages: [{ role: 'user', content: 'hi' }], stream: true },
  gemini: { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 9_000 } },
}

/** Sends a stream through the gateway in pieces that end at each of its bytes in turn, or in random ones, and compares what arrives. */
export async function compareStreams(
  relay: Relay,
  seed: number,
  cuts: 'every' | number,
  length = 3,
  dialects: readonly (typeof streamed)[number][] = streamed,
): Promise<Comparison> {
  const result: Comparison = { compared: 0, faults: [] }
  const expected = new Map<string, GeneratedStream['usage'] & { readonly title: string }>()
  for (const dialect of dialects) {
    for (const asks of asksFor(dialect)) {
      const random = new Random(seed)
      const stream = generateStream(random, dialect, length)
      const whole = Buffer.concat(stream.events)
      const isStripped = !asks && stream.usageEvent !== undefined
      const wanted = Buffer.concat(stream.events.filter((_, i) => !(isStripped && i === stream.usageEvent)))
      const body = {
        ...requests[dialect],
        ...(asks && stream.usageEvent !== undefined && { stream_options: { include_usage: true } }),
      }
      const exchange: Omit<Exchange, 'chunks'> = {
        path: streamPaths[dialect] ?? '',
        body: Buffer.from(JSON.stringify(body)),
        status: 200,
        type: 'text/event-stream',
      }
      const one = async (at: readonly number[]) => {
        const title = `seed ${seed}, ${dialect}${asks ? ' that asks for usage' : ''}, cut at ${at.join(', ')}`
        const got = await relay.relay({ ...exchange, chunks: cutAt(whole, at) })
        result.compared += 1
        if (got === undefined || !got.answer.equals(wanted))
          result.faults.push(`${title}: ${String(got?.answer)} instead of ${String(wanted)}`)
        if (got !== undefined) expected.set(got.runId, { ...stream.usage, title })
      }
      if (cuts === 'every') await inTurns(whole.length + 1, (i) => one([i]))
      else
        await inTurns(cuts, () =>
          one(Array.from({ length: random.between(0, 9) }, () => random.between(0, whole.length))),
        )
      // One byte at a time.
      await one(Array.from({ length: whole.length }, (_, i) => i))
    }
  }
  await relay.gateway.parts.settlements.drain(60_000)
  for (const [runId, { title, input_tokens, output_tokens }] of expected) {
    const settled = relay.weir.settled.get(runId)
    if (settled?.['input_tokens'] !== input_tokens || settled['output_tokens'] !== output_tokens)
      result.faults.push(`${title}: settled at ${JSON.stringify(settled)}, used ${input_tokens} and ${output_tokens}`)
  }
  return result
}

function cutAt(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.toSorted((a, b) => a - b), bytes.length]
  return places
    .slice(1)
    .map((place, i) => bytes.subarray(places[i], place))
    .filter((piece) => piece.length > 0)
}

const atOnce = 16

/** Does something so many times, some of them at once. */
async function inTurns(count: number, work: (index: number) => Promise<void>) {
  let next = 0
  const worker = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}
