import { expect, test } from 'vitest'
import { ask, budgetedKey } from './support/callers.ts'
import { practice, useGateway } from './support/gateway.ts'

const under = useGateway()

test('whatever comes at once, the provider never bills more than the limit', async () => {
  // gpt-4o: $2.50 a million tokens of input, $10 of output.
  const { key, read } = await budgetedKey(under, 'storm', '0.05')
  const body = { model: 'gpt-4o', max_tokens: 400, messages: [{ role: 'user', content: 'hi' }] }
  const first = under.provider.books.entries.length
  const statuses = await Promise.all(
    Array.from({ length: 120 }, async (_, i) => {
      const script = practice({ output: 50 + ((i * 37) % 400), chunkMs: i % 3 === 0 ? 1 : 0 })
      const answer = await ask(
        under,
        '/v1/chat/completions',
        { ...body, stream: i % 2 === 0 },
        { authorization: `Bearer ${key}`, ...script },
      )
      await answer.text()
      return answer.status
    }),
  )
  const billed = under.provider.books.entries.slice(first)
  const nano = billed.reduce((sum, { input, output }) => sum + input * 2_500 + output * 10_000, 0)
  expect(new Set(statuses)).toEqual(new Set([200, 402]))
  expect(billed.length).toBe(statuses.filter((status) => status === 200).length)
  expect(nano).toBeLessThanOrEqual(50_000_000)
  await expect.poll(async () => (await read())['held_usd']).toBe('0')
  expect(Math.round(Number((await read())['spent_usd']) * 1e9)).toBe(nano)
})

test('close to a limit the provider’s own count of the input decides, not its bytes', async () => {
  // claude-sonnet-4-5: $3 a million tokens of input where nothing is cached, $15 of output. The text is 8,000 bytes and 2,000 tokens.
  const { key } = await budgetedKey(under, 'tight', '0.02')
  const body = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'a'.repeat(8_000) }] }
  const answer = await ask(under, '/v1/messages', body, { authorization: `Bearer ${key}` })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-weir-bound')).toBe('counted')
})

test('with a little left, a call without a maximum is made as long as fits instead of refused', async () => {
  const { key } = await budgetedKey(under, 'fit', '0.02')
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }
  const answer = await ask(under, '/v1/chat/completions', body, {
    authorization: `Bearer ${key}`,
    ...practice({ output: 9_000 }),
  })
  const entry = under.provider.books.entries.at(-1)!
  expect(answer.headers.get('x-weir-fit')).toBe(`max_output_tokens=${entry.maxOutput}`)
  expect(entry.maxOutput).toBeGreaterThan(1_024)
  expect(entry.input * 2_500 + entry.output * 10_000).toBeLessThanOrEqual(20_000_000)
})

test('a chat that goes on close to a limit is held at what it was billed before, once money has refused it something', async () => {
  // gpt-4o: $2.50 a million tokens of input. 12,000 bytes are $0.03, and 3,000 tokens $0.0075.
  const { key, read } = await budgetedKey(under, 'chatting', '0.07')
  const as = { authorization: `Bearer ${key}` }
  const messages = [{ role: 'user', content: 'weir '.repeat(2_400) }]
  const body = { model: 'gpt-4o', max_tokens: 20 }
  const bounds: (string | number | null)[] = []
  const turn = async (more: object = {}) => {
    const answer = await ask(under, '/v1/chat/completions', { ...body, messages, ...more }, as)
    await answer.text()
    bounds.push(answer.status === 200 ? answer.headers.get('x-weir-bound') : answer.status)
    messages.push({ role: 'assistant', content: 'Weir.' }, { role: 'user', content: 'And?' })
    await expect.poll(async () => (await read())['held_usd']).toBe('0')
  }
  await turn({ max_tokens: 9_000 })
  messages.splice(1)
  for (let i = 0; i < 6; i += 1) await turn()
  expect(bounds).toEqual([402, 'hard', 'hard', 'hard', 'hard', 'hard', 'counted'])
})
