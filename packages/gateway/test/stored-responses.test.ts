import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import { keyOf } from '../../server/test/support/tenants.ts'
import { OwnedIds, ownerOf } from '../src/calls/owned-ids.ts'
import { systemClock } from '../src/infra/clock.ts'
import { ask, endedRun } from './support/callers.ts'
import { practice, useGateway } from './support/gateway.ts'

const under = useGateway()
const entries = () => under.provider.books.entries
const client = (key: string) => new OpenAI({ baseURL: `${under.gateway.url}/v1`, apiKey: key, maxRetries: 0 })
const body = { model: 'gpt-5', input: 'the secret plan', max_output_tokens: 100 }

let mine: OpenAI
let theirs: OpenAI
let theirKey: string
beforeAll(async () => {
  mine = client(under.ownerKey)
  // Of the same organization, with every right that a key can have there.
  theirKey = (await keyOf(under.weir, under.orgId)).key
  theirs = client(theirKey)
})

/** The error of a request, as its client sees it, without the id that it asked for. */
const errorOf = (promise: Promise<unknown>, id: string) =>
  promise.then(
    () => 'no error',
    ({ status, error }: { status: number; error: object }) => `${status} ${JSON.stringify(error).replaceAll(id, 'ID')}`,
  )

describe('a response that the provider keeps', () => {
  test('is read, listed, cancelled and deleted by the key that made it, at no cost', async () => {
    const made = await mine.responses.create(body)
    const before = entries().length
    expect((await mine.responses.retrieve(made.id)).output_text).toBe(made.output_text)
    const items = await mine.responses.inputItems.list(made.id, { limit: 5, order: 'asc' })
    expect(JSON.stringify(items.data)).toContain('the secret plan')
    expect((await mine.responses.cancel(made.id)).status).toBe('cancelled')
    await mine.responses.delete(made.id)
    expect(await errorOf(mine.responses.retrieve(made.id), made.id)).toMatch(/^404/)
    expect(entries().length).toBe(before)
  })

  test('is known as soon as its stream begins', async () => {
    const stream = await mine.responses.create({ ...body, stream: true }, { headers: practice({ hangAfter: 3 }) })
    for await (const event of stream) {
      if (event.type !== 'response.created') continue
      expect(under.gateway.parts.ownedIds.find(event.response.id)).toMatchObject({ provider: 'openai' })
      break
    }
  })

  test('does not exist for another key, in any way in which it could be reached', async () => {
    const { id, output } = await mine.responses.create(body)
    const itemId = output[0]!.id!
    const before = entries().length
    const unknown = `resp_${'0'.repeat(24)}`
    const reads: ((of: string) => Promise<unknown>)[] = [
      (of) => theirs.responses.retrieve(of),
      async (of) => theirs.responses.inputItems.list(of),
      (of) => theirs.responses.cancel(of),
      (of) => theirs.responses.delete(of),
      (of) => theirs.responses.create({ ...body, input: 'go on', previous_response_id: of }),
      (of) => theirs.responses.create({ ...body, input: 'go on', previous_response_id: of, stream: true }),
      (of) => theirs.responses.compact({ model: 'gpt-5', previous_response_id: of }),
      (of) => theirs.responses.inputTokens.count({ model: 'gpt-5', previous_response_id: of }),
      (of) => theirs.responses.create({ ...body, conversation: of }),
      (of) => theirs.responses.create({ ...body, conversation: { id: of } }),
    ]
    for (const [i, read] of reads.entries()) {
      const said = await errorOf(read(id), id)
      expect(said, String(i)).toMatch(/^40[04] .*ID' not found/)
      // Nor can its existence be told.
      expect(said, String(i)).toBe(await errorOf(read(unknown), unknown))
    }
    const items = [
      { type: 'item_reference', id: itemId },
      { id: itemId },
      { type: 'message', id: itemId },
      { type: 'reasoning', id: itemId, summary: [] },
      { type: 'reasoning', id: itemId, summary: [], encrypted_content: '' },
      { type: 'image_generation_call', id: itemId },
      { type: 'image_generation_call', id: itemId, status: 'completed', result: null },
      { type: 'compaction', id: itemId },
      { type: 'file_search_call', id: itemId, queries: ['plan'], results: [] },
      { type: 'something_new', id: itemId, text: 'hi' },
    ]
    for (const item of items) {
      const answer = await ask(
        under,
        '/v1/responses',
        { ...body, input: [item] },
        { authorization: `Bearer ${theirKey}` },
      )
      expect(answer.status, JSON.stringify(item)).toBe(404)
      expect((await ask(under, '/v1/responses', { ...body, input: [item] })).status).toBe(200)
    }
    expect(entries().length).toBe(before + items.length)
    expect((await mine.responses.retrieve(id)).id).toBe(id)
  })

  test('holds the whole window when it is gone on from, and is settled at what was billed', async () => {
    const { id } = await mine.responses.create(body)
    const answer = await ask(under, '/v1/responses', { ...body, input: 'go on', previous_response_id: id })
    // 1,050,000 tokens of input at $1.25 a million.
    expect(Number(answer.headers.get('x-weir-reserved-usd'))).toBeGreaterThan(1.3)
    expect(await endedRun(under, answer)).toMatchObject({ input_tokens: entries().at(-1)!.input, overrun_usd: '0' })
  })

  test('is not asked for with a revoked key', async () => {
    const answer = await fetch(`${under.gateway.url}/v1/responses/resp_1`, {
      headers: { authorization: `Bearer weir_${'x'.repeat(40)}` },
    })
    expect(answer.status).toBe(401)
  })
})

test('a compaction holds the longest output of its model, and is settled at what was billed', async () => {
  const answer = await ask(under, '/v1/responses/compact', { model: 'gpt-5', input: 'hi' }, practice({ output: 70 }))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-weir-bound')).toBe('soft')
  // 128,000 tokens of output at $10 a million.
  expect(Number(answer.headers.get('x-weir-reserved-usd'))).toBeGreaterThan(1.28)
  const entry = entries().at(-1)!
  expect(entry).toMatchObject({ dialect: 'compaction', output: 70 })
  expect(JSON.parse(entry.body)).toEqual({ model: 'gpt-5', input: 'hi' })
  expect(await endedRun(under, answer)).toMatchObject({ input_tokens: entry.input, output_tokens: 70 })
})

test('owners of ids outlive the process, and are shared by gateways with one folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-owned-'))
  const [a, b] = [new OwnedIds(folder, systemClock), new OwnedIds(folder, systemClock)]
  const owned = { owner: ownerOf('weir_a'), provider: 'openai', model: 'gpt-5' }
  a.add(['resp_1'], owned)
  expect(b.find('resp_1')).toEqual(owned)
  a.add(['resp_2'], owned)
  b.add(['resp_2', 'resp_3'], { ...owned, owner: ownerOf('weir_b') })
  expect(a.find('resp_3')).toEqual({ ...owned, owner: ownerOf('weir_b') })
  expect(a.find('resp_2')).toEqual(owned)
  expect(new OwnedIds(folder, systemClock).find('resp_1')).toEqual(owned)
  rmSync(folder, { recursive: true })
})
