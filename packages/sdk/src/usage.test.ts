import { describe, expect, test } from 'vitest'
import { StreamMeter } from './stream-meter.ts'
import { sumOfUsage, type Usage, usageOf } from './usage.ts'

const cases: readonly [string, object, Usage | undefined][] = [
  [
    'an OpenAI chat',
    { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    { input_tokens: 100, output_tokens: 20 },
  ],
  [
    'an OpenAI chat with a cache, reasoning and audio',
    {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60, audio_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 8, audio_tokens: 2 },
    },
    {
      input_tokens: 100,
      output_tokens: 20,
      cache_read_input_tokens: 60,
      reasoning_output_tokens: 8,
      audio_input_tokens: 5,
      audio_output_tokens: 2,
    },
  ],
  [
    'reasoning that is in the total only',
    { prompt_tokens: 10, completion_tokens: 2, total_tokens: 50 },
    { input_tokens: 10, output_tokens: 40 },
  ],
  [
    'a chat’s answer with its tier',
    { service_tier: 'flex', usage: { prompt_tokens: 1, completion_tokens: 2 } },
    { input_tokens: 1, output_tokens: 2, service_tier: 'flex' },
  ],
  ['an embedding', { prompt_tokens: 9, total_tokens: 9 }, { input_tokens: 9, output_tokens: 0 }],
  [
    'an OpenAI response, whose cache is within its input',
    {
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens_details: { reasoning_tokens: 8 },
    },
    { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 60, reasoning_output_tokens: 8 },
  ],
  [
    'a response with searches',
    {
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      output: [
        { type: 'web_search_call', action: { type: 'search' } },
        { type: 'web_search_call', action: { type: 'open_page' } },
      ],
    },
    { input_tokens: 1, output_tokens: 2, units: { web_search: 1 } },
  ],
  [
    'an Anthropic message, whose cache is beside its input',
    {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_1h_input_tokens: 25 },
      server_tool_use: { web_search_requests: 2 },
    },
    {
      input_tokens: 100,
      output_tokens: 20,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
      cache_creation_1h_input_tokens: 25,
      units: { web_search: 2 },
    },
  ],
  [
    'an Anthropic message with an advisor',
    {
      input_tokens: 10,
      output_tokens: 20,
      iterations: [{ type: 'advisor_message', model: 'claude-opus-4-5', input_tokens: 5, output_tokens: 6 }],
    },
    {
      input_tokens: 10,
      output_tokens: 20,
      parts: [{ model: 'claude-opus-4-5', usage: { input_tokens: 5, output_tokens: 6 } }],
    },
  ],
  [
    'Gemini, whose thoughts are beside its candidates',
    {
      usageMetadata: {
        promptTokenCount: 100,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 7,
        cachedContentTokenCount: 40,
        totalTokenCount: 127,
      },
    },
    { input_tokens: 100, output_tokens: 27, cache_read_input_tokens: 40, reasoning_output_tokens: 7 },
  ],
  ['something else', { tokens: 12 }, undefined],
  ['a count that is none', { prompt_tokens: -1 }, undefined],
]

describe('usage is read', () => {
  test.each(cases)('of %s', (_, said, usage) => {
    expect(usageOf(said)).toEqual(usage)
  })
})

const streams: readonly [string, readonly object[], Usage | undefined][] = [
  [
    'a chat',
    [
      { choices: [{ delta: {} }] },
      { choices: [{ finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
    ],
    { input_tokens: 3, output_tokens: 4 },
  ],
  [
    'a chat that was cut off',
    [{ choices: [{ delta: {} }], usage: { prompt_tokens: 3, completion_tokens: 1 } }],
    undefined,
  ],
  [
    'a message in two parts',
    [
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 2 } } },
      { type: 'message_delta', usage: { output_tokens: 9, input_tokens: null } },
      { type: 'message_stop' },
    ],
    { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 2 },
  ],
  [
    'a message that was cut off',
    [{ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } }],
    undefined,
  ],
  [
    'a response',
    [{ type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } } }],
    { input_tokens: 1, output_tokens: 2 },
  ],
  [
    'Gemini, by its last event',
    [
      { candidates: [{}], usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1 } },
      { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 6 } },
    ],
    { input_tokens: 4, output_tokens: 6 },
  ],
]

describe('usage of a stream is read', () => {
  test.each(streams)('of %s', (_, events, usage) => {
    const meter = new StreamMeter()
    for (const event of events) meter.event(event)
    expect(meter.usage()).toEqual(usage)
  })
})

test('what several calls used is added up', () => {
  const one = { input_tokens: 1, output_tokens: 2, units: { web_search: 1 } }
  const other = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 5,
    units: { web_search: 2, storage_search: 1 },
  }
  expect(sumOfUsage(one, other)).toEqual({
    input_tokens: 11,
    output_tokens: 22,
    cache_read_input_tokens: 5,
    units: { web_search: 3, storage_search: 1 },
  })
})
