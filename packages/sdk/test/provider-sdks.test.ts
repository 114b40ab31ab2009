import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { guardAnthropic } from '../src/anthropic.ts'
import { guardOpenAI, refusalOf } from '../src/openai.ts'
import type { Weir } from '../src/sdk.ts'
import { budgetedKey, clientOf, endedRuns, useSite } from './support/site.ts'

const site = useSite()
const messages = [{ role: 'user' as const, content: 'Tell me about weirs.' }]

interface Options {
  readonly signal?: AbortSignal
  readonly headers: Record<string, string>
}

/** A way to call a provider through its own SDK: streams are read to their end, or until they are to be stopped. */
interface Way {
  readonly name: string
  readonly whole: (weir: Weir, workflow_id: string, options: Options) => Promise<unknown>
  readonly streamed: (weir: Weir, workflow_id: string, options: Options, stopAfter?: number) => Promise<number>
  readonly aborted: unknown
}

const openai = (weir: Weir, workflow_id: string) =>
  guardOpenAI(new OpenAI({ apiKey: 'sk-practice', baseURL: `${site.provider.url}/v1` }), weir, { workflow_id })
const anthropic = (weir: Weir, workflow_id: string) =>
  guardAnthropic(new Anthropic({ apiKey: 'sk-practice', baseURL: site.provider.url }), weir, { workflow_id })

async function count(events: AsyncIterable<unknown>, stopAfter = Number.POSITIVE_INFINITY): Promise<number> {
  let seen = 0
  for await (const _ of events) if ((seen += 1) >= stopAfter) break
  return seen
}

const chat = { model: 'gpt-4o', max_tokens: 60, messages }
const answer = { model: 'gpt-4o', max_output_tokens: 60, input: 'Tell me about weirs.' }
const message = { model: 'claude-sonnet-4-5', max_tokens: 60, messages }
const ways: readonly Way[] = [
  {
    name: 'OpenAI chat',
    whole: (weir, id, options) => openai(weir, id).chat.completions.create(chat, options),
    streamed: async (weir, id, options, stop) =>
      count(await openai(weir, id).chat.completions.create({ ...chat, stream: true }, options), stop),
    aborted: OpenAI.APIUserAbortError,
  },
  {
    name: 'OpenAI responses',
    whole: (weir, id, options) => openai(weir, id).responses.create(answer, options),
    streamed: async (weir, id, options, stop) =>
      count(await openai(weir, id).responses.create({ ...answer, stream: true }, options), stop),
    aborted: OpenAI.APIUserAbortError,
  },
  {
    name: 'Anthropic messages',
    whole: (weir, id, options) => anthropic(weir, id).messages.create(message, options),
    streamed: async (weir, id, options, stop) =>
      count(await anthropic(weir, id).messages.create({ ...message, stream: true }, options), stop),
    aborted: Anthropic.APIUserAbortError,
  },
]

const practice = (script: object): Options => ({ headers: { 'x-practice': JSON.stringify(script) } })
const settled = async (workflow: string) => {
  const booked = (await site.provider.books()).at(-1)!
  const [run] = await endedRuns(site, workflow)
  return { booked, run }
}

describe.each(ways)('$name', ({ name, whole, streamed, aborted }) => {
  const { weir } = { weir: () => clientOf(site).weir }

  test('a whole answer is settled at what the provider billed', async () => {
    await whole(weir(), `${name} whole`, practice({ output: 17 }))
    const { booked, run } = await settled(`${name} whole`)
    expect(run).toMatchObject({
      status: 'succeeded',
      cost_basis: 'computed',
      input_tokens: booked.input,
      output_tokens: booked.output,
    })
  })

  test('a stream is settled at what the provider billed', async () => {
    expect(await streamed(weir(), `${name} stream`, practice({ output: 18 }))).toBeGreaterThanOrEqual(18)
    const { booked, run } = await settled(`${name} stream`)
    expect(run).toMatchObject({ status: 'succeeded', cost_basis: 'computed', output_tokens: booked.output })
    expect(booked.output).toBe(18)
  })

  test('a stream that is given up ends at the provider, and is charged what was reserved', async () => {
    await streamed(weir(), `${name} given up`, practice({ output: 60, chunkMs: 50 }), 3)
    const { run } = await settled(`${name} given up`)
    expect(run).toMatchObject({ cost_basis: 'estimated', cost_usd: run!.reserved_usd })
    await expect.poll(async () => (await site.provider.books()).at(-1)!.state).toBe('aborted')
  })

  test('a call that its caller aborts is charged what was reserved', async () => {
    const abort = new AbortController()
    const before = (await site.provider.books()).length
    const call = whole(weir(), `${name} aborted`, { ...practice({ firstMs: 60_000 }), signal: abort.signal })
    await expect.poll(async () => (await site.provider.books()).length).toBe(before + 1)
    abort.abort()
    await expect(call).rejects.toBeInstanceOf(aborted)
    expect((await settled(`${name} aborted`)).run).toMatchObject({ status: 'cancelled', cost_basis: 'estimated' })
  })

  test('a refusal is the SDK’s own error, asks Weir once and the provider never', async () => {
    const apiKey = await budgetedKey(site, `${name} refused`, '0.0001')
    let asked = 0
    const counting = clientOf(site, {
      apiKey,
      fetch: (...given) => {
        asked += 1
        return fetch(...given)
      },
    }).weir
    const before = (await site.provider.books()).length
    for (const call of [whole, streamed]) {
      asked = 0
      const error: unknown = await call(counting, `${name} refused`, practice({})).catch((fault: unknown) => fault)
      expect(error).toMatchObject({ status: 402 })
      expect(refusalOf(error)).toMatchObject({ code: 'budget_exceeded', details: { limit_usd: '0.0001' } })
      expect(asked).toBe(1)
    }
    expect(await site.provider.books()).toHaveLength(before)
  })

  test('repetitions by the SDK are runs of their own, of which those that were refused cost nothing', async () => {
    const before = (await site.provider.books()).length
    await expect(whole(weir(), `${name} repeated`, practice({ status: 503 }))).rejects.toMatchObject({ status: 503 })
    const made = (await site.provider.books()).length - before
    const runs = await endedRuns(site, `${name} repeated`)
    expect(made).toBeGreaterThan(1)
    expect(runs.map(({ cost_usd }) => cost_usd)).toEqual(Array(made).fill('0'))
  })
})

test('a chat’s stream has no event that its caller has not asked for', async () => {
  const client = openai(clientOf(site).weir, 'own events')
  const events: OpenAI.ChatCompletionChunk[] = []
  for await (const event of await client.chat.completions.create({ ...chat, stream: true })) events.push(event)
  expect(events.every(({ choices }) => choices.length > 0)).toBe(true)
  expect((await endedRuns(site, 'own events'))[0]).toMatchObject({ cost_basis: 'computed' })
})

test('a request that no hold can be made for is refused, unless it is allowed', async () => {
  const client = openai(clientOf(site).weir, 'images')
  const error: unknown = await client.images.generate({ prompt: 'a weir' }).catch((fault: unknown) => fault)
  expect(refusalOf(error)).toMatchObject({ code: 'unguarded_call' })
  const open = new OpenAI({ apiKey: 'sk-practice', baseURL: `${site.provider.url}/v1`, maxRetries: 0 })
  const allowed = guardOpenAI(open, clientOf(site).weir, {}, { unguarded: 'allow' })
  await expect(allowed.images.generate({ prompt: 'a weir' })).rejects.toMatchObject({ status: 404 })
})
