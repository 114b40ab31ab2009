import { type Asked, askedOf, isFree } from './asked.ts'
import { refusedStatuses } from './billing.ts'
import { WeirError } from './errors.ts'
import { eventsOf, SseReader } from './event-stream.ts'
import { refusalAnswer } from './refusal.ts'
import type { Run } from './run.ts'
import { StreamMeter } from './stream-meter.ts'
import type { RunOptions, RunParameters, Weir } from './weir.ts'

export { refusalOf } from './refusal.ts'

/** Fields of the runs that a wrapper starts, such as `workflow_id` and `customer_id`; those that it reads from a request may be overridden. */
export type RunLabels = RunParameters | (() => RunParameters)

export interface GuardOptions extends Omit<RunOptions, 'signal'> {
  /** The `fetch` that sends the requests. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Lets requests pass for which no hold can be made, such as images and speech: `refuse` where it is left out. */
  readonly unguarded?: 'refuse' | 'allow' | undefined
}

export const labelsIn = (labels: RunLabels): RunParameters => (typeof labels === 'function' ? labels() : labels)

/**
 * Returns a `fetch` for the SDK of a provider: each request for an answer of a model is a run of its own, repetitions by the SDK included. A
 * refusal is an answer that the SDK throws as an error and does not repeat; `refusalOf` reads it.
 */
export function guardedFetch(weir: Weir, labels: RunLabels = {}, options: GuardOptions = {}): typeof globalThis.fetch {
  const send = options.fetch ?? globalThis.fetch
  return async (input, init = {}) => {
    const request = input instanceof Request ? input : undefined
    const method = (init.method ?? request?.method ?? 'GET').toUpperCase()
    const { pathname: path } = new URL(input instanceof Request ? input.url : input)
    if (isFree(method, path)) return send(input, init)
    const text = typeof init.body === 'string' ? init.body : await request?.clone().text()
    const asked = text === undefined ? undefined : askedOf(path, text)
    if (asked === undefined) {
      if (options.unguarded === 'allow') return send(input, init)
      const message = `No hold can be made for ${method} ${path}; \`unguarded: 'allow'\` sends it without one.`
      return refusalAnswer(new WeirError({ code: 'unguarded_call', message, status: 403, details: { path } }))
    }
    const signal = init.signal ?? request?.signal ?? undefined
    let run: Run
    try {
      run = await weir.start({ ...asked.parameters, ...labelsIn(labels) }, { ...options, signal })
    } catch (error) {
      if (signal?.aborted || !(error instanceof WeirError)) throw error
      return refusalAnswer(error)
    }
    try {
      const response = await send(input, { ...init, method, body: asked.body, signal: run.signal })
      return await answerOf(run, asked, response)
    } catch (error) {
      await run.fail(error)
      throw error
    }
  }
}

async function answerOf(run: Run, asked: Asked, response: Response): Promise<Response> {
  if (!response.ok) {
    if (refusedStatuses.has(response.status)) run.release()
    await run.fail(undefined)
    return response
  }
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body)
    return answerWith(response, meteredStream(run, response.body, asked.isUsageOurs))
  const text = await response.text()
  const meter = new StreamMeter()
  const events = eventsOf(text)
  // Gemini may send a stream as one array.
  if (events.length > 1) for (const event of events) meter.event(event)
  const usage = meter.usage()
  if (usage) run.report(usage)
  await run.finish(events[0])
  return answerWith(response, text)
}

/** The answer as it came, but for its coding and its length, which are no longer those of its bytes. */
function answerWith({ status, statusText, headers }: Response, body: BodyInit): Response {
  const kept = new Headers(headers)
  kept.delete('content-encoding')
  kept.delete('content-length')
  return new Response(body, { status, statusText, headers: kept })
}

/** Passes a stream on as it is read, and ends its run when it ends, breaks or is given up. */
function meteredStream(run: Run, body: ReadableStream<Uint8Array>, isUsageOurs: boolean): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const blocks = new SseReader()
  const meter = new StreamMeter()
  const encoder = new TextEncoder()
  const pass = (texts: readonly string[]) =>
    texts
      .filter((block) => {
        const events = blocks.eventsIn(block)
        for (const event of events) meter.event(event)
        return !(isUsageOurs && events.some(isUsageOnly))
      })
      .join('')
  const end = async (error?: unknown) => {
    const usage = meter.usage()
    if (usage) run.report(usage)
    await (usage || error === undefined ? run.finish() : run.fail(error))
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await reader.read()
          const text = pass(done ? blocks.rest() : blocks.read(value))
          if (text !== '') controller.enqueue(encoder.encode(text))
          if (done) {
            await end()
            controller.close()
            return
          }
          if (text !== '') return
        }
      } catch (error) {
        await end(error)
        controller.error(error)
      }
    },
    async cancel(reason) {
      await reader.cancel(reason)
      await end(reason ?? new Error('the answer was not read to its end'))
    },
  })
}

const isUsageOnly = (event: unknown): boolean =>
  typeof event === 'object' &&
  event !== null &&
  'usage' in event &&
  'choices' in event &&
  Array.isArray(event.choices) &&
  event.choices.length === 0
