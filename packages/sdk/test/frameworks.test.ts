import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai-3'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { generateText, streamText, wrapLanguageModel } from 'ai'
import { generateText as generateText6, streamText as streamText6, wrapLanguageModel as wrapLanguageModel6 } from 'ai-6'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { guardModels } from '../src/agents.ts'
import { refusalOf, weirMiddleware, weirMiddlewareV3 } from '../src/ai.ts'
import { WeirCallbacks } from '../src/langchain.ts'
import type { Weir } from '../src/sdk.ts'
import { budgetedKey, clientOf, endedRuns, useSite } from './support/site.ts'

const site = useSite()
const prompt = 'Tell me about weirs.'

interface Options {
  readonly signal?: AbortSignal
  readonly headers?: Record<string, string>
}

/** A framework with its own way of calling a model: whole answers, and streams that are read to the end. */
interface Framework {
  readonly name: string
  readonly whole: (weir: Weir, workflow_id: string, options?: Options) => Promise<unknown>
  readonly streamed: (weir: Weir, workflow_id: string, options?: Options) => Promise<unknown>
}

const at = () => ({ apiKey: 'sk-practice', baseURL: `${site.provider.url}/v1` })
const ai = (weir: Weir, workflow_id: string, { headers }: Options = {}) =>
  wrapLanguageModel({
    model: createOpenAI({ ...at(), ...(headers && { headers }) })('gpt-4o'),
    middleware: weirMiddleware(weir, { workflow_id }),
  })
const ai6 = (weir: Weir, workflow_id: string, { headers }: Options = {}) =>
  wrapLanguageModel6({
    model: createOpenAI3({ ...at(), ...(headers && { headers }) }).chat('gpt-4o'),
    middleware: weirMiddlewareV3(weir, { workflow_id }),
  })
const asked = ({ signal }: Options = {}) => ({
  prompt,
  maxOutputTokens: 60,
  ...(signal && { abortSignal: signal }),
})
/** Reads a stream of the AI SDK, whose errors are parts of it. */
async function readAll(parts: AsyncIterable<{ type: string; error?: unknown }>) {
  for await (const part of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('aborted')
  }
}
const langchain = (weir: Weir, workflow_id: string, { headers }: Options = {}) => {
  const { apiKey, baseURL } = at()
  return new ChatOpenAI({
    model: 'gpt-4o',
    maxTokens: 60,
    apiKey,
    callbacks: [new WeirCallbacks(weir, { workflow_id, lease_seconds: 5 })],
    configuration: { baseURL, ...(headers && { defaultHeaders: headers }) },
  })
}
const agents = (weir: Weir, workflow_id: string, { headers, signal }: Options = {}) => {
  const openAIClient = new OpenAI({ ...at(), maxRetries: 0, ...(headers && { defaultHeaders: headers }) })
  const provider = new OpenAIProvider({ openAIClient })
  const runner = new Runner({ modelProvider: guardModels(provider, weir, { workflow_id }), tracingDisabled: true })
  const agent = new Agent({ name: 'Weirs', model: 'gpt-4o', modelSettings: { maxTokens: 60 } })
  return { runner, agent, options: signal ? { signal } : {} }
}

const frameworks: readonly Framework[] = [
  {
    name: 'AI SDK 7',
    whole: (weir, id, options) => generateText({ model: ai(weir, id, options), ...asked(options) }),
    streamed: (weir, id, options) =>
      readAll(streamText({ model: ai(weir, id, options), ...asked(options), onError: () => undefined }).fullStream),
  },
  {
    name: 'AI SDK 6',
    whole: (weir, id, options) => generateText6({ model: ai6(weir, id, options), ...asked(options) }),
    streamed: (weir, id, options) =>
      readAll(streamText6({ model: ai6(weir, id, options), ...asked(options), onError: () => undefined }).fullStream),
  },
  {
    name: 'LangChain',
    whole: (weir, id, options) =>
      langchain(weir, id, options).invoke(prompt, { ...(options?.signal && { signal: options.signal }) }),
    streamed: async (weir, id, options) => {
      const given = options?.signal && { signal: options.signal }
      for await (const _ of await langchain(weir, id, options).stream(prompt, { ...given })) continue
    },
  },
  {
    name: 'Agents SDK',
    whole: (weir, id, given) => {
      const { runner, agent, options } = agents(weir, id, given)
      return runner.run(agent, prompt, options)
    },
    streamed: async (weir, id, given) => {
      const { runner, agent, options } = agents(weir, id, given)
      const result = await runner.run(agent, prompt, { ...options, stream: true })
      for await (const _ of result) continue
      await result.completed
    },
  },
]

const practice = (script: object): Options => ({ headers: { 'x-practice': JSON.stringify(script) } })
const lastBooked = async () => (await site.provider.books()).at(-1)!

describe.each(frameworks)('$name', ({ name, whole, streamed }) => {
  test.each([
    ['a whole answer', whole],
    ['a stream', streamed],
  ])('%s is settled at what the provider billed', async (kind, call) => {
    const { weir, kinds } = clientOf(site)
    await call(weir, `${name} ${kind}`, practice({ output: 17, cached: 3 }))
    const { input, output } = await lastBooked()
    expect(output).toBe(17)
    expect(await endedRuns(site, `${name} ${kind}`)).toMatchObject([
      {
        status: 'succeeded',
        cost_basis: 'computed',
        input_tokens: input,
        output_tokens: 17,
        cache_read_input_tokens: 3,
      },
    ])
    expect(kinds()).toEqual([])
  })

  test.each([
    ['a whole answer', whole],
    ['a stream', streamed],
  ])('%s that is refused asks Weir once and the provider never', async (kind, call) => {
    const workflow = `${name} refused ${kind}`
    let starts = 0
    const counted: typeof fetch = (...given) => {
      if (given[0] === `${site.weir.url}/v1/runs`) starts += 1
      return fetch(...given)
    }
    const { weir } = clientOf(site, { apiKey: await budgetedKey(site, workflow, '0.0001'), fetch: counted })
    const before = (await site.provider.books()).length
    const error: unknown = await call(weir, workflow).catch((fault: unknown) => fault)
    expect(refusalOf(error)).toMatchObject({ code: 'budget_exceeded', status: 402 })
    expect(starts).toBe(1)
    expect(await site.provider.books()).toHaveLength(before)
  })

  test.each([
    ['a whole answer', whole, { firstMs: 60_000 }],
    ['a stream', streamed, { hangAfter: 3, output: 40 }],
  ])('%s that its caller aborts is charged what was reserved', async (kind, call, script) => {
    const { weir } = clientOf(site)
    const abort = new AbortController()
    const before = (await site.provider.books()).length
    const workflow = `${name} aborted ${kind}`
    const calling = call(weir, workflow, { ...practice(script), signal: abort.signal })
    // Streams of the Agents SDK end without an error when they are aborted.
    const outcome = calling.catch((error: unknown) => error)
    await expect.poll(async () => (await site.provider.books()).length).toBe(before + 1)
    abort.abort()
    await outcome
    const [run] = await endedRuns(site, workflow)
    expect(run).toMatchObject({ cost_basis: 'estimated', cost_usd: run!.reserved_usd })
  })

  test('a call that the provider refuses costs nothing', async () => {
    const { weir } = clientOf(site)
    await expect(whole(weir, `${name} 400`, practice({ status: 400 }))).rejects.toBeInstanceOf(Error)
    expect((await endedRuns(site, `${name} 400`)).map(({ cost_usd }) => cost_usd)).toEqual(['0'])
  })
})
