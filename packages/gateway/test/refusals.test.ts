import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import { budgetedKey } from './support/callers.ts'
import { useGateway } from './support/gateway.ts'

const under = useGateway()

/** The clients as people use them: a base URL and a key, no other change. Each asks one question. */
const clients: Record<string, (url: string, key: string) => Promise<string>> = {
  'openai, chat': async (url, key) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key })
    const { choices } = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hi' }],
    })
    return choices[0]?.message.content ?? ''
  },
  'openai, streamed chat': async (url, key) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key })
    const messages = [{ role: 'user' as const, content: 'hi' }]
    const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    return text
  },
  'openai, responses': async (url, key) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key })
    return (await client.responses.create({ model: 'gpt-5', input: 'hi' })).output_text
  },
  'openai, streamed responses': async (url, key) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key })
    let text = ''
    for await (const event of await client.responses.create({ model: 'gpt-5', input: 'hi', stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta
    return text
  },
  anthropic: async (url, key) => {
    const client = new Anthropic({ baseURL: url, apiKey: key })
    const { content } = await client.messages.create({
      model: 'claude-sonnet-4-5',
      max_tokens: 20_000,
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
    })
    return content[0]?.type === 'text' ? content[0].text : ''
  },
  'anthropic, streamed': async (url, key) => {
    const client = new Anthropic({ baseURL: url, apiKey: key })
    const stream = client.messages.stream({
      model: 'claude-sonnet-4-5',
      max_tokens: 20_000,
      messages: [{ role: 'user', content: 'hi' }],
    })
    return (await stream.finalMessage()).content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  },
  'Google Gen AI': async (url, key) => {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })
    return (await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' })).text ?? ''
  },
  'Google Gen AI, streamed': async (url, key) => {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })
    let text = ''
    for await (const chunk of await client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'hi' }))
      text += chunk.text ?? ''
    return text
  },
  'AI SDK, openai': async (url, key) =>
    (await generateText({ model: createOpenAI({ baseURL: `${url}/v1`, apiKey: key })('gpt-5'), prompt: 'hi' })).text,
  'AI SDK, anthropic': async (url, key) =>
    (
      await generateText({
        model: createAnthropic({ baseURL: `${url}/v1`, apiKey: key })('claude-sonnet-4-5'),
        prompt: 'hi',
      })
    ).text,
  'LangChain, openai': async (url, key) =>
    (await new ChatOpenAI({ model: 'gpt-4o', apiKey: key, configuration: { baseURL: `${url}/v1` } }).invoke('hi')).text,
  'LangChain, anthropic': async (url, key) =>
    (await new ChatAnthropic({ model: 'claude-sonnet-4-5', apiKey: key, anthropicApiUrl: url }).invoke('hi')).text,
}

let empty: string
beforeAll(async () => {
  empty = (await budgetedKey(under, 'empty', '0.0001')).key
})

const requestsSoFar = async () =>
  (await under.gateway.parts.metrics.requests.get()).values.reduce((sum, { value }) => sum + value, 0)

describe.each(Object.entries(clients))('%s', (_, run) => {
  test('works with a changed address and a changed key', async () => {
    const before = under.provider.books.entries.length
    expect(await run(under.gateway.url, under.ownerKey)).toMatch(/^the quick brown fox/)
    expect(under.provider.books.entries.length).toBe(before + 1)
    expect(under.provider.books.entries.at(-1)!.maxOutput).toBeGreaterThan(0)
  })

  test('shows a refusal once, with its reason, and does not repeat it', async () => {
    const [before, billed] = [await requestsSoFar(), under.provider.books.entries.length]
    const error = await run(under.gateway.url, empty).then(
      () => undefined,
      (thrown: unknown) => thrown as Error & { responseBody?: string },
    )
    expect(`${error?.message} ${error?.responseBody ?? ''}`).toMatch(
      /Weir: the workflow budget has \$[0-9.]+ of \$0\.0001 left/,
    )
    expect((await requestsSoFar()) - before).toBe(1)
    expect(under.provider.books.entries.length).toBe(billed)
  })
})
