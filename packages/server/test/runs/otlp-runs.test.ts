import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nanoOfDollars } from '../../src/runs/otlp/decimal.ts'
import { protobufTraces } from '../../src/runs/otlp/encodings.ts'
import type { Mapping } from '../../src/runs/otlp/mapping.ts'
import { convertTraces } from '../../src/runs/otlp/trace-runs.ts'
import type { SpanFields, TracesRequest } from '../../src/runs/otlp/traces.ts'
import { maxBulkRuns } from '../../src/runs/runs.ts'
import { formatUsd } from '../../src/values/money.ts'
import { runToCompletion } from '../../src/values/steps.ts'
import {
  attributes,
  bytesOf,
  chat,
  newSpanId,
  newTraceId,
  nowMs,
  request,
  span,
  tracedSpans,
} from '../support/otlp-spans.ts'

type Values = Parameters<typeof span>[0]
const runs = (spans: readonly SpanFields[], resource: Values = {}) =>
  runToCompletion(convertTraces(request(spans, resource), nowMs))
const one = (values: Values, resource: Values = {}, more: SpanFields = {}) => runs([span(values, more)], resource)
const runOf = (values: Values, resource: Values = {}, more: SpanFields = {}) => {
  const { runs: found, rejected } = one(values, resource, more)
  expect(rejected.messages).toEqual([])
  return found[0]!
}
const rejection = (values: Values, more: SpanFields = {}) => {
  const { runs: found, rejected } = one(values, {}, more)
  expect(found).toEqual([])
  expect(rejected.count).toBe(1)
  return rejected.messages[0]!.replace(/^[^ ]+ /, '')
}

describe('a model call', () => {
  test('becomes a run with all that it says', () => {
    const [traceId, spanId] = [newTraceId(), newSpanId()]
    const values = {
      ...chat,
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.conversation.id': 'conv_1',
      'gen_ai.usage.cache_read.input_tokens': 100,
      'gen_ai.usage.cache_write.input_tokens': 20,
      'gen_ai.usage.reasoning.output_tokens': 10,
      'gen_ai.usage.cost': 0.1,
      'weir.workflow_id': 'checkout',
      'weir.department_id': 'sales',
      'weir.customer_id': 'cus_1',
      'user.id': 'ada',
      'weir.tags': ['beta'],
    }
    const resource = { 'service.name': 'assistant', 'deployment.environment.name': 'production' }
    expect(runOf(values, resource, { traceId: traceId.toUpperCase(), spanId })).toEqual({
      external_id: `otlp:${traceId}:${spanId}`,
      chain_id: traceId,
      model: 'gpt-4o',
      provider: 'openai',
      operation: 'chat',
      workflow_id: 'checkout',
      deployment_id: 'assistant',
      department_id: 'sales',
      customer_id: 'cus_1',
      user_id: 'ada',
      started_at: '2026-11-15T11:59:55.000+00:00',
      ended_at: '2026-11-15T11:59:56.500+00:00',
      status: 'succeeded',
      input_tokens: 120,
      output_tokens: 30,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      reasoning_output_tokens: 10,
      cost_usd: '0.1',
      tags: ['beta'],
      metadata: {
        response_model: 'gpt-4o-2024-08-06',
        response_id: 'chatcmpl-1',
        conversation_id: 'conv_1',
        finish_reasons: 'stop',
        environment: 'production',
      },
    })
  })

  test('has no field for what it does not say, and zero is said', () => {
    const run = runOf({
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.request.model': 'm',
      'gen_ai.usage.input_tokens': 0,
    })
    expect(run).toEqual({
      external_id: expect.any(String),
      chain_id: expect.any(String),
      started_at: expect.any(String),
      ended_at: expect.any(String),
      model: 'm',
      operation: 'embeddings',
      status: 'succeeded',
      input_tokens: 0,
    })
    expect(runOf(chat, {}, { endTimeUnixNano: '0' })).not.toHaveProperty('ended_at')
  })

  test('has the tier that served it, and the tokens that are priced apart', () => {
    const priced = {
      ...chat,
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.cache_creation.input_tokens': 20,
      'weir.usage.cache_creation_1h_input_tokens': 15,
      'llm.token_count.prompt_details.audio': 10,
      'llm.token_count.completion_details.audio': 5,
    }
    expect(runOf({ ...priced, 'openai.response.service_tier': 'flex' })).toMatchObject({
      service_tier: 'flex',
      cache_creation_1h_input_tokens: 15,
      audio_input_tokens: 10,
      audio_output_tokens: 5,
    })
    expect(runOf({ ...priced, 'openai.response.service_tier': 'default' })).toHaveProperty('service_tier', 'standard')
    expect(runOf({ ...priced, 'openai.response.service_tier': 'scale' })).not.toHaveProperty('service_tier')
    expect(rejection({ ...priced, 'llm.token_count.prompt_details.audio': 500 })).toMatch(/part of input_tokens/)
  })

  test('is understood by the former names, and by those of OpenInference and OpenLLMetry', () => {
    const expected = {
      model: 'gpt-4o',
      provider: 'openai',
      input_tokens: 120,
      output_tokens: 30,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 20,
      reasoning_output_tokens: 10,
      cost_usd: '0.5',
    }
    const spellings: Values[] = [
      {
        ...chat,
        'gen_ai.usage.cache_read.input_tokens': 50,
        'gen_ai.usage.cache_creation.input_tokens': 20,
        'gen_ai.usage.reasoning.output_tokens': 10,
        'weir.cost_usd': '0.50',
      },
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.prompt_tokens': 120,
        'gen_ai.usage.completion_tokens': 30,
        'gen_ai.usage.cache_read_input_tokens': 50,
        'gen_ai.usage.cache_creation_input_tokens': 20,
        'gen_ai.usage.reasoning_tokens': 10,
        'gen_ai.usage.cost': 0.5,
      },
      {
        'openinference.span.kind': 'LLM',
        'llm.provider': 'openai',
        'llm.model_name': 'gpt-4o',
        'llm.token_count.prompt': 120,
        'llm.token_count.completion': 30,
        'llm.token_count.prompt_details.cache_read': 50,
        'llm.token_count.prompt_details.cache_write': 20,
        'llm.token_count.completion_details.reasoning': 10,
        'llm.cost.total': 0.5,
      },
      {
        'ai.operationId': 'ai.streamText.doStream',
        'ai.model.id': 'gpt-4o',
        'ai.model.provider': 'openai',
        'ai.usage.inputTokens': 120,
        'ai.usage.outputTokens': 30,
        'ai.usage.cachedInputTokens': 50,
        'gen_ai.usage.cache_creation.input_tokens': 20,
        'ai.usage.reasoningTokens': 10,
        'weir.cost_usd': '0.5',
      },
      {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.model.name': 'gpt-4o',
        'gen_ai.system': 'openai',
        'langfuse.observation.usage_details':
          '{"input":50,"input_cached_tokens":50,"cache_creation_input_tokens":20,"output":20,"output_reasoning_tokens":10,"total":150}',
        'gen_ai.usage.cache_creation_input_tokens': 20,
        'langfuse.observation.cost_details': '{"input":0.4,"output":0.1,"total":0.5}',
      },
      {
        'gen_ai.operation.name': 'acompletion',
        'llm.request.type': 'acompletion',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.output_tokens': 30,
        'gen_ai.usage.total_tokens': 150,
        'gen_ai.usage.cache_read.input_tokens': 50,
        'gen_ai.usage.cache_creation.input_tokens': 20,
        'gen_ai.usage.reasoning_tokens': 10,
        'gen_ai.cost.total_cost': 0.5,
      },
      {
        'llm.request.type': 'chat',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'llm.usage.prompt_tokens': 120,
        'llm.usage.completion_tokens': 30,
        'gen_ai.usage.cache_read_input_tokens': 50,
        'gen_ai.usage.cache_creation_input_tokens': 20,
        'gen_ai.usage.reasoning_tokens': 10,
        'gen_ai.usage.cost': '5e-1',
      },
    ]
    for (const spelling of spellings) expect(runOf(spelling)).toMatchObject(expected)
    expect(runOf({ ...chat, 'gen_ai.usage.prompt_tokens': 7, 'gen_ai.system': 'x' })).toMatchObject({
      input_tokens: 120,
      provider: 'openai',
    })
  })

  test.each([
    ['acompletion', 'chat'],
    ['aresponses', 'chat'],
    ['responses', 'chat'],
    ['anthropic_messages', 'chat'],
    ['aanthropic_messages', 'chat'],
    ['agenerate_content_stream', 'generate_content'],
    ['atext_completion', 'text_completion'],
    ['aembedding', 'embeddings'],
    ['arerank', 'rerank'],
    ['aimage_generation', 'image_generation'],
    ['_arealtime', 'realtime'],
    ['allm_passthrough_route', 'pass_through'],
  ])('is one under the name %s', (name, operation) => {
    expect(runOf({ ...chat, 'gen_ai.operation.name': name })).toMatchObject({ operation, input_tokens: 120 })
    const { 'gen_ai.operation.name': _operation, ...unnamed } = chat
    expect(runOf({ ...unnamed, 'llm.request.type': name })).toMatchObject({ operation, input_tokens: 120 })
  })

  test('is priced by its tokens where LiteLLM does not know its cost', () => {
    expect(runOf({ ...chat, 'gen_ai.cost.total_cost': 0 })).not.toHaveProperty('cost_usd')
  })

  test('is of the model that was asked for, or else of the one that answered', () => {
    const { 'gen_ai.request.model': _asked, ...unasked } = chat
    expect(runOf({ ...unasked, 'gen_ai.response.model': 'gpt-4o-2024-08-06' })).toMatchObject({
      model: 'gpt-4o-2024-08-06',
    })
    expect(runOf({ ...chat, 'gen_ai.response.model': 'gpt-4o' })).not.toHaveProperty('metadata')
  })

  test('has failed where its status or its error says so', () => {
    expect(runOf(chat, {}, { status: { code: 2 } }).status).toBe('failed')
    expect(runOf({ ...chat, 'error.type': 'timeout' })).toMatchObject({
      status: 'failed',
      metadata: { error_type: 'timeout' },
    })
    expect(runOf({ ...chat, 'error.type': 'timeout' }, {}, { status: { code: 1 } }).status).toBe('succeeded')
  })

  test('belongs to what its span says, or else its resource', () => {
    const resource = {
      'weir.workflow_id': 'w',
      'weir.deployment_id': 'd',
      'weir.department_id': 'p',
      'weir.customer_id': 'c',
      'weir.tags': 'a, b,,a',
      'service.name': 's',
    }
    expect(runOf({ ...chat, 'weir.customer_id': 42 }, resource)).toMatchObject({
      workflow_id: 'w',
      deployment_id: 'd',
      department_id: 'p',
      customer_id: '42',
      tags: ['a', 'b'],
    })
    expect(runOf(chat, { 'service.name': 'unknown_service:node' })).not.toHaveProperty('deployment_id')
    expect(runOf({ ...chat, 'gen_ai.workflow.name': 'crew' })).toMatchObject({ workflow_id: 'crew' })
  })

  test('has parts of its tokens added where its instrumentation leaves them out', () => {
    expect(
      runOf({
        ...chat,
        'gen_ai.usage.cache_read.input_tokens': 1_000,
        'gen_ai.usage.cache_creation.input_tokens': 100,
        'gen_ai.usage.reasoning.output_tokens': 31,
      }),
    ).toMatchObject({ input_tokens: 1_220, output_tokens: 61 })
  })

  test('keeps times given as numbers to the millisecond', () => {
    for (let ms = nowMs - 500; ms <= nowMs; ms++) {
      const times = { startTimeUnixNano: ms * 1e6, endTimeUnixNano: ms * 1e6 + 1e6 }
      expect(Date.parse(runOf(chat, {}, times).started_at)).toBe(ms)
      expect(Date.parse(runOf(chat, {}, times).ended_at!)).toBe(ms + 1)
    }
  })
})

describe('what a call belongs to', () => {
  const litellm = {
    ...chat,
    'metadata.user_api_key_team_id': 'team-7',
    'metadata.user_api_key_end_user_id': '',
    'llm.user': 'end-user-1',
  }
  const mappedRun = (values: Values, mapping: Mapping, resource: Values = {}) =>
    runToCompletion(convertTraces(request([span(values)], resource), nowMs, mapping)).runs[0]

  test('is known of LiteLLM’s team and end user, and of functions of the AI SDK', () => {
    expect(runOf(litellm)).toMatchObject({ department_id: 'team-7', customer_id: 'end-user-1' })
    expect(runOf({ ...chat, 'ai.telemetry.functionId': 'summary' })).toMatchObject({ workflow_id: 'summary' })
  })

  test('is what an organization says, on the span or on its resource; and what is said in our own words wins', () => {
    const mapping = { department_id: ['cost.center', 'team'], customer_id: ['account'], workflow_id: null }
    expect(mappedRun({ ...litellm, team: 'red', account: 12 }, mapping, { 'cost.center': 'cc-1' })).toMatchObject({
      department_id: 'red',
      customer_id: '12',
    })
    expect(mappedRun(litellm, mapping, { 'cost.center': 'cc-1' })).toMatchObject({ department_id: 'cc-1' })
    expect(
      mappedRun({ ...litellm, team: 'red' }, mapping, { 'weir.department_id': 'sales', 'service.name': 's' }),
    ).toMatchObject({ department_id: 'sales', deployment_id: 's' })
  })

  test('is nothing where an organization has turned the built-in attributes off', () => {
    const run = mappedRun(
      litellm,
      { department_id: [], customer_id: ['account'], deployment_id: [] },
      { 'service.name': 's' },
    )
    for (const field of ['department_id', 'customer_id', 'deployment_id']) expect(run).not.toHaveProperty(field)
  })

  test('rejects the call where it cannot be a name, but not for an attribute that nobody has named', () => {
    const long = 'x'.repeat(201)
    expect(runOf({ ...chat, 'llm.user': long })).not.toHaveProperty('customer_id')
    const { runs: found, rejected } = runToCompletion(
      convertTraces(request([span({ ...chat, account: long })]), nowMs, { customer_id: ['account'] }),
    )
    expect([found, rejected.messages[0]]).toEqual([[], expect.stringContaining('account has more than 200 characters')])
  })
})

describe('a span with usage and a model that nobody knows', () => {
  test.each([
    [{ 'gen_ai.operation.name': 'ponder' }, 'gen_ai.operation.name "ponder"'],
    [{ 'gen_ai.operation.name': 'aretrieve_batch' }, 'gen_ai.operation.name "aretrieve_batch"'],
    [{ 'gen_ai.operation.name': '', 'llm.request.type': 'constructor' }, 'llm.request.type "constructor"'],
  ] as [Values, string][])('is rejected aloud: %j', (kind, says) => {
    const { runs: found, rejected, unrecognized, ignored } = one({ ...chat, ...kind })
    expect({ found, count: rejected.count, unrecognized, ignored }).toEqual({
      found: [],
      count: 1,
      unrecognized: 1,
      ignored: 0,
    })
    expect(rejected.messages[0]).toMatch(/^[0-9a-f]{32}:[0-9a-f]{16}: it has usage and a model, but /)
    expect(rejected.messages[0]).toContain(`${says} is not known to be a model call`)
  })
})

describe('is rejected by itself', () => {
  const long = 'x'.repeat(201)
  const cases: [string, Values, SpanFields, RegExp][] = [
    ['without a model', { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1 }, {}, /model is missing/],
    ['with a model too long', { ...chat, 'gen_ai.request.model': long }, {}, /more than 200 characters/],
    ['with a customer too long', { ...chat, 'weir.customer_id': long }, {}, /weir.customer_id has more than 200/],
    ['with a control character', { ...chat, 'weir.workflow_id': 'a\nb' }, {}, /no text/],
    ['with half a character', { ...chat, 'weir.workflow_id': 'a\ud800b' }, {}, /no text/],
    ['with too many tokens', { ...chat, 'gen_ai.usage.output_tokens': 1_000_000_001 }, {}, /more than 1000000000/],
    ['with fewer tokens than none', { ...chat, 'gen_ai.usage.output_tokens': -1 }, {}, /not a number of tokens/],
    ['with half a token', { ...chat, 'gen_ai.usage.input_tokens': 1.5 }, {}, /not a number of tokens/],
    ['with words for tokens', { ...chat, 'gen_ai.usage.input_tokens': 'many' }, {}, /not a number of tokens/],
    ['with a negative cost', { ...chat, 'gen_ai.usage.cost': -0.5 }, {}, /not an amount of dollars/],
    ['with a cost beyond any', { ...chat, 'gen_ai.usage.cost': 1e7 }, {}, /not an amount of dollars/],
    [
      'with too many tags',
      { ...chat, 'weir.tags': Array.from({ length: 21 }, (_, i) => `tag ${i}`) },
      {},
      /more than 20 tags/,
    ],
    ['with a tag too long', { ...chat, 'weir.tags': [long] }, {}, /more than 100 characters/],
    ['without a start', chat, { startTimeUnixNano: '0' }, /startTimeUnixNano is missing/],
    ['with a start that is none', chat, { startTimeUnixNano: 'soon' }, /nanoseconds/],
    ['with a start before time', chat, { startTimeUnixNano: -1e18 }, /more than 90 days ago/],
    ['with a start that is a list', chat, { startTimeUnixNano: [] }, /nanoseconds/],
    ['from long ago', chat, { startTimeUnixNano: '1700000000000000000' }, /more than 90 days ago/],
    ['from the future', chat, { startTimeUnixNano: String(BigInt(nowMs + 600_000) * 1_000_000n) }, /future/],
    ['from the end of numbers', chat, { startTimeUnixNano: 1e300 }, /future/],
    ['ending before it starts', chat, { endTimeUnixNano: String(BigInt(nowMs - 9_000) * 1_000_000n) }, /ends before/],
    ['without an id', chat, { spanId: '' }, /hexadecimal/],
    ['with ids in base64', chat, { traceId: 'W47/95gDgQPSaYS4Q7RBoQ==' }, /hexadecimal/],
    ['with ids of nothing', chat, { traceId: '0'.repeat(32) }, /hexadecimal/],
  ]
  test.each(cases)('%s', (_name, values, more, message) => {
    expect(rejection(values, more)).toMatch(message)
  })

  test('and the others are recorded', () => {
    const bad = { ...chat, 'gen_ai.request.model': '\u0007' }
    const { runs: found, rejected } = runs([
      span(chat),
      ...Array.from({ length: 30 }, () => span(bad, { spanId: '' })),
      span(bad),
      span(chat),
    ])
    expect(found).toHaveLength(2)
    expect(rejected.count).toBe(31)
    expect(rejected.messages).toHaveLength(10)
  })

  test('but not for what only people look at', () => {
    const run = runOf({ ...chat, 'gen_ai.response.id': 'x'.repeat(1_001), 'gen_ai.agent.name': 'a\0b' })
    expect(run).not.toHaveProperty('metadata')
  })

  test('and more model calls than a batch may have are refused whole', () => {
    const spans = Array.from({ length: maxBulkRuns + 1 }, () => span(chat))
    expect(runs(spans.slice(1)).runs).toHaveLength(maxBulkRuns)
    expect(() => runs(spans)).toThrow('at most 5000 model calls')
    const others = Array.from({ length: 20_000 }, () => span({ 'http.request.method': 'GET' }))
    expect(runs([...others, ...spans.slice(1)])).toMatchObject({ ignored: 20_000 })
  })
})

describe('no call is counted twice', () => {
  const usage = { 'gen_ai.usage.input_tokens': 120, 'gen_ai.usage.output_tokens': 30 }

  test('agents, tools, workflows and retrievals are no model calls, whatever usage they repeat', () => {
    const traceId = newTraceId()
    const agent = span({ ...chat, 'gen_ai.operation.name': 'invoke_agent' }, { traceId })
    const below = { traceId, parentSpanId: agent.spanId }
    const containers: Values[] = [
      ...['execute_tool', 'create_agent', 'invoke_workflow', 'retrieval', 'search_memory'].map((operation) => ({
        ...chat,
        'gen_ai.operation.name': operation,
      })),
      { ...usage, 'openinference.span.kind': 'AGENT', 'llm.model_name': 'm' },
      { ...usage, 'openinference.span.kind': 'CHAIN', 'llm.model_name': 'm' },
      { ...usage, 'traceloop.span.kind': 'workflow', 'gen_ai.request.model': 'm' },
      { ...usage, 'langfuse.observation.type': 'span', 'langfuse.observation.model.name': 'm' },
      { 'ai.operationId': 'ai.generateText', 'ai.model.id': 'm', 'ai.usage.inputTokens': 120 },
      { ...usage, 'gen_ai.operation.name': 'ponder' },
      usage,
      { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' },
    ]
    const {
      runs: found,
      ignored,
      rejected,
    } = runs([span(chat, below), agent, ...containers.map((values) => span(values, below))])
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ operation: 'chat', input_tokens: 120 })
    expect(ignored).toBe(containers.length + 1)
    expect(rejected.count).toBe(0)
  })

  test('a span that only repeats the calls beneath it is not one more', () => {
    const traceId = newTraceId()
    const [outer, middle, inner, other] = [newSpanId(), newSpanId(), newSpanId(), newSpanId()]
    const doubled = { ...chat, 'gen_ai.usage.input_tokens': 240, 'gen_ai.usage.output_tokens': 60 }
    const { runs: found } = runs([
      span(chat, { traceId, spanId: inner, parentSpanId: middle }),
      span({ 'http.request.method': 'POST' }, { traceId, spanId: middle, parentSpanId: outer }),
      span(chat, { traceId, spanId: other, parentSpanId: outer }),
      span(doubled, { traceId, spanId: outer }),
    ])
    expect(found.map(({ external_id }) => external_id)).toEqual([
      `otlp:${traceId}:${inner}`,
      `otlp:${traceId}:${other}`,
    ])
  })

  test('a gateway and the program that calls it report one call, also in two requests', () => {
    const traceId = newTraceId()
    const response = { 'gen_ai.response.id': 'chatcmpl-BxQk3Zy0wqPcV8Rr7fQmS1tLdU2aN' }
    // The gateway counts cached tokens in, so that the sums differ.
    const byProgram = span({ ...chat, ...response, 'gen_ai.usage.input_tokens': 100 }, { traceId })
    const byGateway = span(
      { ...chat, ...response, 'gen_ai.operation.name': 'acompletion' },
      { traceId, parentSpanId: byProgram.spanId },
    )
    expect(runs([byGateway, byProgram])).toMatchObject({ runs: [{ input_tokens: 120 }], ignored: 1 })
    const [first, second] = [runs([byGateway]).runs[0], runs([byProgram]).runs[0]]
    expect(second!.external_id).toBe(first!.external_id)
    expect(first!.external_id).toBe(`otlp:${traceId}:chatcmpl-BxQk3Zy0wqPcV8Rr7fQmS1tLdU2aN`)
    // Another trace is another call, and so is another span under an id that servers give twice.
    expect(runs([span({ ...chat, ...response })]).runs[0]!.external_id).not.toBe(first!.external_id)
    const short = { ...chat, 'gen_ai.response.id': 'chatcmpl-123' }
    expect(runs([span(short, { traceId }), span(short, { traceId })]).runs).toHaveLength(2)
  })

  test('LiteLLM’s nested spans of one request are one call', () => {
    const traceId = newTraceId()
    const [server, litellm] = [newSpanId(), newSpanId()]
    const values = { ...chat, 'gen_ai.operation.name': 'acompletion' }
    const { runs: found, ignored } = runs([
      span({ 'llm.openai.id': 'x', ...values }, { traceId, parentSpanId: litellm }),
      span(values, { traceId, spanId: litellm, parentSpanId: server }),
      span(values, { traceId, spanId: server }),
    ])
    expect([found.length, ignored]).toEqual([1, 2])
  })

  test('but a call with usage of its own counts beside the calls that it led to', () => {
    const traceId = newTraceId()
    const [outer, tool] = [newSpanId(), newSpanId()]
    const more = { ...chat, 'gen_ai.usage.input_tokens': 121 }
    expect(
      runs([span(chat, { traceId, parentSpanId: outer }), span(more, { traceId, spanId: outer })]).runs,
    ).toHaveLength(2)
    // The same usage by chance, with a tool between them: the tool called a model.
    const between = { 'gen_ai.operation.name': 'execute_tool' }
    expect(
      runs([
        span(chat, { traceId, parentSpanId: tool }),
        span(between, { traceId, spanId: tool, parentSpanId: outer }),
        span(chat, { traceId, spanId: outer }),
      ]).runs,
    ).toHaveLength(2)
  })

  test('a span sent twice is one run, and spans in a circle end', () => {
    const twice = span(chat)
    expect(runs([twice, twice])).toMatchObject({ runs: [{ model: 'gpt-4o' }], ignored: 1 })
    const traceId = newTraceId()
    const [a, b] = [newSpanId(), newSpanId()]
    const circle = [
      span({}, { traceId, spanId: a, parentSpanId: b }),
      span({}, { traceId, spanId: b, parentSpanId: a }),
      span(chat, { traceId, parentSpanId: a }),
    ]
    expect(runs(circle).runs).toHaveLength(1)
  })
})

describe('costs', () => {
  test.each([
    [0.1, '0.1'],
    ['0.10', '0.1'],
    [1e-7, '0.0000001'],
    ['1.5E-3', '0.0015'],
    [0.1 + 0.2, '0.3'],
    ['0.0000000005', '0.000000001'],
    ['0.0000000004', '0'],
    [12, '12'],
    ['1e-300', '0'],
    [0, '0'],
  ])('%s dollars are %s', (value, expected) => {
    expect(formatUsd(nanoOfDollars(value)!)).toBe(expected)
  })

  test.each(['', 'x', '-1', 'NaN', 'Infinity', '1e999', '1,5', ' 1', '0x10'])('%j is no amount', (value) => {
    expect(nanoOfDollars(value)).toBeUndefined()
  })
})

test('JSON and protobuf of the same trace give the same runs', async () => {
  const spans = tracedSpans()
  const json = JSON.parse((await bytesOf('json', spans)).toString()) as TracesRequest
  const protobuf = protobufTraces.read(await bytesOf('protobuf', spans)) as TracesRequest
  const now = Date.now()
  const fromJson = runToCompletion(convertTraces(json, now))
  expect(runToCompletion(convertTraces(protobuf, now))).toEqual(fromJson)
  const mapping = { workflow_id: ['acme.team'], department_id: ['acme.cost_center'] }
  const mapped = runToCompletion(convertTraces(protobuf, now, mapping))
  expect(mapped).toEqual(runToCompletion(convertTraces(json, now, mapping)))
  expect(mapped.runs[0]).toMatchObject({ workflow_id: '7', department_id: 'cc-9' })
  expect(fromJson).toMatchObject({
    runs: [
      {
        model: 'gpt-4o',
        customer_id: 'Zoë',
        cost_usd: '0.0123',
        tags: ['beta', 'eu'],
        deployment_id: 'assistant',
        cache_read_input_tokens: 512,
        metadata: { finish_reasons: 'stop, length', environment: 'staging', response_model: 'gpt-4o-2024-08-06' },
      },
      { model: 'claude-sonnet-4-5', provider: 'anthropic', status: 'failed', input_tokens: 100 },
    ],
    rejected: { count: 0 },
    ignored: 3,
  })
})

test('whatever stands in a span, the others of its request are read', () => {
  const anything = fc.oneof(fc.anything(), fc.constantFrom(...attributes(chat)))
  fc.assert(
    fc.property(
      fc.record(
        {
          traceId: anything,
          spanId: anything,
          parentSpanId: anything,
          startTimeUnixNano: anything,
          endTimeUnixNano: anything,
          attributes: fc.oneof(anything, fc.array(anything)),
          status: anything,
        },
        { requiredKeys: [] },
      ),
      fc.boolean(),
      (odd, isCall) => {
        const mixed = isCall ? { ...span(chat), ...odd } : odd
        const { runs: found } = runs([mixed, span(chat, { spanId: 'ffffffffffffffff' })])
        expect(found.some(({ external_id }) => external_id.endsWith(':ffffffffffffffff'))).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})
