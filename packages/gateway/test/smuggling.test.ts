import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ask } from './support/callers.ts'
import { useGateway } from './support/gateway.ts'

const under = useGateway()

const messages = '"messages":[{"role":"user","content":"hi"}]'

/** Requests with which a caller would get more than is held for it. Each must end at the gateway. */
const attacks: readonly [string, string, string][] = [
  ['two maxima', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"max_tokens":1,"max_tokens":100000}`],
  [
    'two maxima, one escaped',
    '/v1/chat/completions',
    `{"model":"gpt-4o",${messages},"max_tokens":1,"max_tok\\u0065ns":100000}`,
  ],
  [
    'a tool with two types',
    '/v1/responses',
    '{"model":"gpt-5","input":"hi","tools":[{"type":"function","type":"web_search"}]}',
  ],
  ['a maximum as text', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"max_tokens":"100000"}`],
  ['a maximum with a fraction', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"max_tokens":1.5}`],
  ['a negative maximum', '/v1/messages', `{"model":"claude-sonnet-4-5",${messages},"max_tokens":-1}`],
  ['an infinite maximum', '/v1/responses', '{"model":"gpt-5","input":"hi","max_output_tokens":1e309}'],
  ['a maximum in capitals', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"MAX_TOKENS":100000}`],
  ['a number of answers as text', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"n":"100"}`],
  ['other models to fall back to', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"models":["gpt-5-pro"]}`],
  ['other models for a text', '/v1/completions', '{"model":"gpt-4o","prompt":"hi","models":["gpt-5-pro"]}'],
  ['other models for a response', '/v1/responses', '{"model":"gpt-5","input":"hi","models":["gpt-5-pro"]}'],
  [
    'other models for a message',
    '/v1/messages',
    `{"model":"claude-sonnet-4-5",${messages},"models":["claude-opus-4"]}`,
  ],
  ['other models for a vector', '/v1/embeddings', '{"model":"text-embedding-3-small","input":"hi","models":["x"]}'],
  ['other models in capitals', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"Models":["gpt-5-pro"]}`],
  ['a plugin of a response', '/v1/responses', '{"model":"gpt-5","input":"hi","plugins":[{"id":"web"}]}'],
  ['data of others', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"data_sources":[{"type":"azure_search"}]}`],
  ['a maximum with a long s', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"max_token\u017f":100000}`],
  ['a plugin', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"plugins":[{"id":"web"}]}`],
  [
    'a search of another name',
    '/v1/chat/completions',
    `{"model":"gpt-4o",${messages},"search_parameters":{"mode":"on"}}`,
  ],
  ['a tier without a price', '/v1/chat/completions', `{"model":"gpt-4o",${messages},"service_tier":"turbo"}`],
  ['work in the background', '/v1/responses', '{"model":"gpt-5","input":"hi","background":true}'],
  [
    'a tool that does not exist yet',
    '/v1/responses',
    '{"model":"gpt-5","input":"hi","tools":[{"type":"mind_reading"}]}',
  ],
  [
    'a tool of the provider in what a search for tools has found',
    '/v1/responses',
    '{"model":"gpt-5","input":[{"type":"tool_search_output","tools":[{"type":"code_interpreter"}]}],"tools":[{"type":"tool_search"}]}',
  ],
  [
    'a tool of the provider in an item of the input',
    '/v1/responses',
    '{"model":"gpt-5","input":[{"type":"additional_tools","role":"developer","tools":[{"type":"mcp","server_url":"https://x"}]}]}',
  ],
  [
    'a tool of the provider among others',
    '/v1/responses',
    '{"model":"gpt-5","input":"hi","tools":[{"type":"namespace","name":"n","tools":[{"type":"image_generation"}]}]}',
  ],
  [
    'a tool with the name of what every object has',
    '/v1/responses',
    '{"model":"gpt-5","input":"hi","tools":[{"type":"constructor"}]}',
  ],
  ['a prompt that the provider keeps', '/v1/responses', '{"model":"gpt-5","prompt":{"id":"pmpt_1"}}'],
  ['values without end', '/v1/embeddings', `{"model":"text-embedding-3-small","input":[${'1,'.repeat(500_001)}1]}`],
  [
    'a connector',
    '/v1/messages',
    `{"model":"claude-sonnet-4-5",${messages},"max_tokens":9,"mcp_servers":[{"url":"https://x"}]}`,
  ],
  ['a dearer speed', '/v1/messages', `{"model":"claude-sonnet-4-5",${messages},"max_tokens":9,"speed":"fast"}`],
  [
    'a compaction',
    '/v1/messages',
    `{"model":"claude-sonnet-4-5",${messages},"max_tokens":9,"context_management":{"edits":[{"type":"compact_20260112"}]}}`,
  ],
  ['a byte order mark', '/v1/chat/completions', `\uFEFF{"model":"gpt-4o",${messages}}`],
  ['something after the end', '/v1/chat/completions', `{"model":"gpt-4o",${messages}} {"n":9}`],
  ['an unknown parameter', '/v1/chat/completions?service_tier=priority', `{"model":"gpt-4o",${messages}}`],
  ['an array', '/v1/chat/completions', '[]'],
  ['a body without an end', '/v1/chat/completions', `{"model":"gpt-4o",${messages}`],
  [
    'a document of unknown length with a model of unknown window',
    '/p/openai/v1/chat/completions',
    '{"model":"unheard-of","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}]}',
  ],
  [
    'nesting without end',
    '/v1/chat/completions',
    `{"model":"gpt-4o",${messages},"metadata":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  ],
]

const flash = '/v1beta/models/gemini-2.5-flash:generateContent'
const contents = '"contents":[{"parts":[{"text":"hi"}]}]'

/** The same in the words of Gemini, which takes every field under two names. */
const geminiAttacks: readonly [string, string, string][] = [
  [
    'a maximum in two spellings',
    flash,
    `{${contents},"generationConfig":{"maxOutputTokens":1,"max_output_tokens":100000}}`,
  ],
  [
    'settings in two spellings',
    flash,
    `{${contents},"generationConfig":{"maxOutputTokens":1},"generation_config":{"maxOutputTokens":100000}}`,
  ],
  ['settings twice', flash, `{${contents},"generationConfig":{"maxOutputTokens":1},"generationConfig":{}}`],
  [
    'a maximum twice, in depth',
    flash,
    `{${contents},"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":100000}}`,
  ],
  ['a maximum in small letters', flash, `{${contents},"generationConfig":{"maxoutputtokens":100000}}`],
  ['a maximum of Gemini as text', flash, `{${contents},"generationConfig":{"maxOutputTokens":"100000"}}`],
  ['a maximum of Gemini with a fraction', flash, `{${contents},"generation_config":{"max_output_tokens":1.5}}`],
  ['a number of candidates as text', flash, `{${contents},"generationConfig":{"candidateCount":"8"}}`],
  ['a number of candidates without end', flash, `{${contents},"generationConfig":{"candidateCount":100000000}}`],
  ['half a candidate', flash, `{${contents},"generationConfig":{"candidate_count":0.5}}`],
  ['thinking without a bottom', flash, `{${contents},"generationConfig":{"thinkingConfig":{"thinkingBudget":-2}}}`],
  ['thinking as text', flash, `{${contents},"generationConfig":{"thinking_config":{"thinking_budget":"0"}}}`],
  ['another model in the body', flash, `{${contents},"model":"models/gemini-2.5-pro"}`],
  [
    'another model by its settings',
    flash,
    `{${contents},"generationConfig":{"routingConfig":{"manualMode":{"modelName":"gemini-2.5-pro"}}}}`,
  ],
  ['pictures', flash, `{${contents},"generationConfig":{"responseModalities":["TEXT","IMAGE"]}}`],
  ['a tool of Google without a price', flash, `{${contents},"tools":[{"code_execution":{}}]}`],
  [
    'a search whose fee is in no price',
    flash,
    `{${contents},"tools":[{"functionDeclarations":[],"google_search":{}}]}`,
  ],
  ['a tool of Google that does not exist yet', flash, `{${contents},"tools":[{"telepathy":{}}]}`],
  ['a tier of Gemini without a price', flash, `{${contents},"serviceTier":"turbo"}`],
  ['tools that are no array', flash, `{${contents},"tools":{"googleSearch":{}}}`],
  ['a mask over the usage', `${flash}?fields=candidates`, `{${contents}}`],
  ['a form that is not read here', `${flash}?alt=proto`, `{${contents}}`],
  ['two forms', '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&alt=json', `{${contents}}`],
  [
    'a batch for another model',
    '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    '{"requests":[{"model":"models/gemini-embedding-001","content":{"parts":[]}},{"model":"models/gemini-embedding-2","content":{"parts":[]}}]}',
  ],
]

describe('what would cost more than can be known before the call is refused', () => {
  test.each([...attacks, ...geminiAttacks])('%s', async (_, path, body) => {
    const before = under.provider.books.entries.length
    const answer = await ask(under, path, body)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(under.provider.books.entries.length).toBe(before)
  })
})

test.each(['application/json; charset=utf-7', 'application/x-protobuf', 'text/plain'])(
  'the provider is not told to read a request in another way than it was read here: %s',
  async (type) => {
    const body = `{"model":"gpt-4o",${messages},"user":"+ACI-,+ACI-n+ACI-:99,+ACI-x+ACI-:+ACI-"}`
    const answer = await ask(under, '/v1/chat/completions', body, { 'content-type': type })
    expect(answer.status).toBe(200)
    expect(under.provider.books.entries.at(-1)!.headers['content-type']).toBe('application/json')
  },
)

describe('paths that are not metered are closed', () => {
  test.each([
    '/v1/images/generations',
    '/v1/audio/speech',
    '/v1/batches',
    '/v1/files',
    '/v1/realtime/sessions',
    '/v1/fine_tuning/jobs',
    '/v1/messages/batches',
    '/v1/chat/completions/',
    '//v1/chat/completions',
    '/v1/../v1/images/generations',
    '/v1/chat%2fcompletions',
    '/p/openai/v1/images/generations',
    '/p/nobody/v1/chat/completions/x',
    '/v1beta/models/gemini-2.5-flash:predict',
    '/v1beta/models/gemini-2.5-flash:batchGenerateContent',
    '/v1beta/models/gemini-embedding-001:asyncBatchEmbedContent',
    '/v1beta/models/gemini-2.5-flash:generateContent/',
    '/v1beta/models/..%2fgemini-2.5-flash:generateContent',
    '/v1beta/tunedModels/mine:generateContent',
    '/v1beta/cachedContents',
    '/v1beta/files',
    '/v1beta/interactions',
    '/v1/models/gemini-2.5-flash:predict',
    '/v1alpha/models/gemini-2.5-flash:generateContent',
  ])('%s', async (path) => {
    const answer = await ask(under, path, { model: 'gpt-4o', messages: [] })
    expect(answer.status).toBe(404)
  })

  test('a WebSocket is told to use HTTP', async () => {
    const headers = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'x',
    }
    const [answer] = (await once(get(`${under.gateway.url}/v1/responses`, { headers }), 'response')) as [
      IncomingMessage,
    ]
    expect(answer.statusCode).toBe(426)
  })
})

describe('credentials', () => {
  test('of the caller never reach the provider, in whatever header they come', async () => {
    for (const header of ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'x-weir-key']) {
      const value = header === 'authorization' ? `Bearer ${under.ownerKey}` : under.ownerKey
      const answer = await fetch(`${under.gateway.url}/v1/messages`, {
        method: 'POST',
        headers: {
          [header]: value,
          'content-type': 'application/json',
          cookie: 'a=b',
          'x-weir-customer': 'acme',
          'openai-organization': 'org-other',
        },
        body: `{"model":"claude-sonnet-4-5",${messages},"max_tokens":9}`,
      })
      expect(answer.status, header).toBe(200)
      const { headers } = under.provider.books.entries.at(-1)!
      expect(JSON.stringify(headers)).not.toMatch(/weir|org-other|a=b/)
      expect(headers['x-api-key']).toBe('sk-provider-secret')
    }
  })

  test('are needed, also for what costs nothing', async () => {
    for (const [method, path] of [
      ['POST', '/v1/chat/completions'],
      ['POST', '/v1/messages/count_tokens'],
      ['GET', '/v1/models'],
      ['POST', '/v1beta/models/gemini-2.5-flash:generateContent'],
      ['POST', '/v1beta/models/gemini-2.5-flash:countTokens'],
      ['GET', '/v1beta/models'],
    ] as const) {
      const answer = await fetch(under.gateway.url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      })
      expect(answer.status, path).toBe(401)
    }
  })
})
