import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nanoOfDollars } from '../src/otlp/decimal.ts'
import { protobufTraces } from '../src/otlp/encodings.ts'
import { runsOfTraces } from '../src/otlp/otlp.ts'
import type { SpanFields, TracesRequest } from '../src/otlp/traces.ts'
import { maxBulkRuns } from '../src/runs/runs.ts'
import { formatUsd } from '../src/values/money.ts'
import { attributes, bytesOf, chat, newSpanId, newTraceId, nowMs, request, span, tracedSpans } from './otlp-spans.ts'

type Values = Parameters<typeof span>[0]
const runs = (spans: readonly SpanFields[], resource: Values = {}) => runsOfTraces(request(spans, resource), nowMs)
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

describe('is rejected by itself', () => {
  const long = 'x'.repeat(201)
  const cases: [string, Values, SpanFields, RegExp][] = [
    ['without a model', { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1 }, {}, /model is missing/],
    ['with a model too long', { ...chat, 'gen_ai.request.model': long }, {}, /more than 200 characters/],
    ['with a customer too long', { ...chat, 'weir.customer_id': long }, {}, /weir.customer_id has more than 200/],
    ['with a control character', { ...chat, 'weir.workflow_id': 'a\nb' }, {}, /no text/],
    ['with half a character', { ...chat, 'weir.workflow_id': 'a\ud800b' }, {}, /no text/],
    ['with too many tokens', { ...chat, 'gen_ai.usage.output_tokens': 1_000_000_001 }, {}, /more than 1000000000/],
    ['with fewer tokens than none', { ...chat, 'gen_ai.usage.output_tokens': -1 }, {}, /no number of tokens/],
    ['with half a token', { ...chat, 'gen_ai.usage.input_tokens': 1.5 }, {}, /no number of tokens/],
    ['with words for tokens', { ...chat, 'gen_ai.usage.input_tokens': 'many' }, {}, /no number of tokens/],
    ['with a negative cost', { ...chat, 'gen_ai.usage.cost': -0.5 }, {}, /no amount of dollars/],
    ['with a cost beyond any', { ...chat, 'gen_ai.usage.cost': 1e7 }, {}, /no amount of dollars/],
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
      { ...usage, 'llm.request.type': 'rerank', 'gen_ai.request.model': 'm' },
      { ...usage, 'llm.request.type': 'constructor', 'gen_ai.request.model': 'm' },
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
  const fromJson = runsOfTraces(json, now)
  expect(runsOfTraces(protobuf, now)).toEqual(fromJson)
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
