import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { call } from '../../server/test/support/tenants.ts'
import { isRefusal, type WeirError, WeirError as WeirErrorClass } from '../src/sdk.ts'
import { budgetedKey, clientOf, endedRuns, ownerOf, useSite } from './support/site.ts'

const site = useSite()
const practice = (script: object) => ({ headers: { 'x-practice': JSON.stringify(script) } })
const openai = () => new OpenAI({ apiKey: 'sk-practice', baseURL: `${site.provider.url}/v1`, maxRetries: 0 })
const request = {
  model: 'gpt-4o',
  max_tokens: 200,
  messages: [{ role: 'user' as const, content: 'Tell me about weirs.' }],
}
const parameters = (workflow_id: string) => ({
  model: 'gpt-4o',
  input_tokens: 500,
  max_output_tokens: 200,
  workflow_id,
})

/** The list price of gpt-4o, in dollars of nine decimals. */
const price = (input: number, output: number) => Number(((input * 2_500 + output * 10_000) / 1e9).toFixed(9)).toString()

describe('a run', () => {
  test('is settled at what the provider says in its answer, to the nano-dollar', async () => {
    const { weir, kinds } = clientOf(site)
    const answer = await weir.run(parameters('plain'), (run) =>
      openai().chat.completions.create(request, { signal: run.signal, ...practice({ output: 123 }) }),
    )
    expect(answer.choices[0]?.message.content).toMatch(/^the quick brown fox/)
    const booked = (await site.provider.books()).at(-1)!
    expect(await endedRuns(site, 'plain')).toMatchObject([
      {
        status: 'succeeded',
        cost_basis: 'computed',
        input_tokens: booked.input,
        output_tokens: 123,
        cost_usd: price(booked.input, 123),
      },
    ])
    expect(kinds()).toEqual([])
  })

  test('is settled at what `run.usage` was told, whatever its answer is', async () => {
    const { weir } = clientOf(site)
    const text = await weir.run(parameters('told'), async (run) => {
      const answer = await openai().chat.completions.create(request, practice({ output: 7 }))
      run.usage(answer.usage)
      return answer.choices[0]?.message.content
    })
    expect(text).toMatch(/^the quick/)
    expect(await endedRuns(site, 'told')).toMatchObject([{ output_tokens: 7, cost_basis: 'computed' }])
  })

  test('adds up the calls that were made in it', async () => {
    const { weir } = clientOf(site)
    await weir.run(parameters('two-calls'), async (run) => {
      for (const output of [5, 6])
        run.usage((await openai().chat.completions.create(request, practice({ output }))).usage)
    })
    expect(await endedRuns(site, 'two-calls')).toMatchObject([{ output_tokens: 11 }])
  })

  test('reads a stream to its end, and charges the reservation where it is not read to its end', async () => {
    const { weir, kinds } = clientOf(site)
    const streamed = (stopAfter: number) =>
      weir.run(parameters('streamed'), async (run) => {
        const options = { signal: run.signal, ...practice({ output: 40 }) }
        const body = { ...request, stream: true as const, stream_options: { include_usage: true } }
        let seen = 0
        for await (const _ of run.stream(await openai().chat.completions.create(body, options)))
          if ((seen += 1) === stopAfter) break
      })
    await streamed(Number.POSITIVE_INFINITY)
    expect(await endedRuns(site, 'streamed')).toMatchObject([{ output_tokens: 40, cost_basis: 'computed' }])
    await streamed(3)
    expect(await endedRuns(site, 'streamed')).toMatchObject([
      { cost_usd: price(500, 200), cost_basis: 'estimated' },
      {},
    ])
    expect(kinds()).toEqual(['usage_unknown'])
  })

  test.each([
    ['a refusal by the provider costs nothing', { status: 429 }, 'cancelled', '0'],
    ['a failure after which it may have billed costs the reservation', { status: 500 }, 'failed', price(500, 200)],
    ['a connection that breaks costs the reservation', { breakAfter: 0 }, 'failed', price(500, 200)],
  ])('that fails: %s, and the failure is the caller’s', async (name, script, status, cost_usd) => {
    const { weir } = clientOf(site)
    const failing = weir.run(parameters(name.slice(0, 30)), (run) =>
      openai().chat.completions.create(request, { signal: run.signal, ...practice(script) }),
    )
    await expect(failing).rejects.toBeInstanceOf(OpenAI.APIError)
    expect(await endedRuns(site, name.slice(0, 30))).toMatchObject([{ status, cost_usd }])
  })

  test('whose provider was never reached costs nothing', async () => {
    const { weir } = clientOf(site)
    const nobody = new OpenAI({ apiKey: 'x', baseURL: `http://127.0.0.1:${await closedPort()}/v1`, maxRetries: 0 })
    await expect(weir.run(parameters('nobody'), () => nobody.chat.completions.create(request))).rejects.toBeInstanceOf(
      OpenAI.APIConnectionError,
    )
    expect(await endedRuns(site, 'nobody')).toMatchObject([{ status: 'cancelled', cost_usd: '0' }])
  })

  test('that its caller aborts ends the call at the provider, and is charged what was reserved', async () => {
    const { weir } = clientOf(site)
    const abort = new AbortController()
    const calls = (await site.provider.books()).length
    const aborted = weir.run(
      parameters('aborted'),
      (run) =>
        openai().chat.completions.create(
          { ...request, stream: false },
          { signal: run.signal, ...practice({ firstMs: 60_000 }) },
        ),
      { signal: abort.signal },
    )
    await expect.poll(async () => (await site.provider.books()).length).toBe(calls + 1)
    abort.abort()
    await expect(aborted).rejects.toBeInstanceOf(OpenAI.APIUserAbortError)
    expect(await endedRuns(site, 'aborted')).toMatchObject([{ status: 'cancelled', cost_basis: 'estimated' }])
  })

  test('that is refused never reaches the provider, asks Weir once, and says why in types', async () => {
    const apiKey = await budgetedKey(site, 'refused', '0.0001')
    let asked = 0
    const { weir } = clientOf(site, {
      apiKey,
      fetch: (...given) => {
        asked += 1
        return fetch(...given)
      },
    })
    const before = (await site.provider.books()).length
    const error = await weir
      .run(parameters('refused'), () => openai().chat.completions.create(request))
      .catch((fault: unknown) => fault)
    expect([isRefusal(error), asked]).toEqual([true, 1])
    expect(error instanceof WeirErrorClass && limitIn(error)).toBe('0.0001')
    expect(await site.provider.books()).toHaveLength(before)
  })

  test('that is released costs nothing', async () => {
    const { weir } = clientOf(site)
    await weir.run(parameters('released'), (run) => run.release())
    expect(await endedRuns(site, 'released')).toMatchObject([{ status: 'cancelled', cost_usd: '0' }])
  })

  test('of an `external_id` whose call was made before is not made again', async () => {
    const { weir } = clientOf(site)
    const named = { ...parameters('named'), external_id: 'call-1' }
    await weir.run(named, (run) => run.usage({ prompt_tokens: 10, completion_tokens: 1 }))
    let calls = 0
    await expect(weir.run(named, () => (calls += 1))).rejects.toMatchObject({ code: 'run_ended' })
    expect(calls).toBe(0)
  })
})

describe('a lease', () => {
  test('is extended while the call goes on', async () => {
    const { weir } = clientOf(site)
    const options = practice({ firstMs: 3_500, output: 3 })
    await weir.run({ ...parameters('long'), lease_seconds: 2 }, (run) =>
      openai().chat.completions.create(request, { signal: run.signal, ...options }),
    )
    expect(await endedRuns(site, 'long')).toMatchObject([{ status: 'succeeded', output_tokens: 3 }])
  })

  test('that Weir does not extend aborts the call, and says so', async () => {
    const { weir } = clientOf(site)
    const stopped = weir.run({ ...parameters('stopped'), lease_seconds: 2 }, async (run) => {
      const path = `/v1/runs/${run.id}/finish`
      await call(site.weir.url, 'POST', path, { key: site.ownerKey, body: { status: 'cancelled', cost_usd: '0' } })
      return openai().chat.completions.create(request, { signal: run.signal, ...practice({ firstMs: 60_000 }) })
    })
    const error: unknown = await stopped.catch((fault: unknown) => fault)
    expect(error).toMatchObject({ code: 'lease_lost', details: { reason: 'refused' } })
    expect((error as Error).cause).toBeInstanceOf(OpenAI.APIUserAbortError)
  })
})

test('lists are read to their end, page by page', async () => {
  const ids: string[] = []
  for await (const run of ownerOf(site).list('/v1/runs', { query: { limit: 2 } })) ids.push(run.id)
  expect(ids.length).toBeGreaterThan(2)
  expect(new Set(ids).size).toBe(ids.length)
})

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Compiles only while the code tells which details there are. */
function limitIn(error: WeirError): string {
  if (error.code === 'budget_exceeded') return error.details.limit_usd
  // @ts-expect-error: no other error has this field.
  return error.details.limit_usd
}
