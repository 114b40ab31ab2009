import { expect, test } from 'vitest'
import { useMoney } from '../support/money.ts'

const money = useMoney()

/** Opus 4.8: a million tokens of input are $5, $6.25 written to the cache of five minutes, $10 written to that of an hour. */
const asked = { model: 'claude-opus-4-8', input_tokens: 100_000, max_output_tokens: 1_000 }

test.each([
  [undefined, '1.025'],
  ['1h', '1.025'],
  ['5m', '0.65'],
  ['none', '0.525'],
])('a call that can write to a cache for %s is held at the rate of that', async (cache_creation, reserved_usd) => {
  const org = await money.org()
  const { json } = await org.post('/v1/runs', { ...asked, ...(cache_creation !== undefined && { cache_creation }) })
  expect(json).toMatchObject({ reserved_usd })
})

test('what is written to a cache is charged, whatever the call had said it would write', async () => {
  const org = await money.org()
  const { json } = await org.post('/v1/runs', { ...asked, cache_creation: 'none' })
  const { json: ended } = await org.post(`/v1/runs/${String(json['id'])}/finish`, {
    status: 'succeeded',
    input_tokens: 100_000,
    output_tokens: 1_000,
    cache_creation_input_tokens: 100_000,
    cache_creation_1h_input_tokens: 100_000,
  })
  expect(ended).toMatchObject({ cost_usd: '1.025' })
})

test.each([{ reported_usage: 'raise_only' }, { reported_cost: 'ignore' }])(
  'a key under %j lowers no hold by what it says of a cache, because its holds are its charges',
  async (trust) => {
    const org = await money.org()
    await org.set('PUT', '/trust', trust)
    expect((await org.post('/v1/runs', { ...asked, cache_creation: 'none' })).json).toMatchObject({
      reserved_usd: '1.025',
    })
    expect((await org.decide({ ...asked, cache_creation: 'none' })).json).toMatchObject({ reserved_usd: '1.025' })
  },
)
