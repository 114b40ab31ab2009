import { describe, expect, test } from 'vitest'
import { ChatMeter } from './chat-meter.ts'
import { GeminiMeter } from './gemini-meter.ts'
import { MessagesMeter } from './messages-meter.ts'
import { ResponsesMeter } from './responses-meter.ts'

const started = JSON.stringify({
  type: 'message_start',
  message: { usage: { input_tokens: 10, output_tokens: 1 } },
})

describe('an answer is complete when it says so itself, whatever is written in it', () => {
  test('messages: a tool that bears the name of the last event ends nothing', () => {
    const meter = new MessagesMeter()
    meter.event(started)
    const content_block = { type: 'tool_use', id: 't', name: 'message_stop', input: {} }
    meter.event(JSON.stringify({ type: 'content_block_start', index: 0, content_block }))
    expect([meter.isComplete(), meter.usage()]).toEqual([false, undefined])
    meter.event(JSON.stringify({ type: 'message_delta', delta: {}, usage: { output_tokens: 900 } }))
    meter.event(JSON.stringify({ type: 'message_stop' }))
    expect(meter.usage()).toEqual({ input_tokens: 10, output_tokens: 900 })
  })

  test('chat: the first of several answers to end is not the end', () => {
    const meter = new ChatMeter()
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    meter.event(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }))
    expect(meter.isComplete()).toBe(false)
    meter.event('[DONE]')
    expect([meter.isComplete(), meter.usage()]).toEqual([true, { input_tokens: 10, output_tokens: 5 }])
  })

  test('responses: text that looks like the last event is text', () => {
    const meter = new ResponsesMeter()
    const delta = '"response.completed"'
    const said = { name: 'response.completed', usage: { input_tokens: 0, output_tokens: 0 } }
    meter.event(JSON.stringify({ type: 'response.output_text.delta', delta, response: said }))
    expect([meter.isComplete(), meter.usage()]).toEqual([false, undefined])
  })

  test('gemini: usage before the end is not all of it, and the first of two candidates to end is not the end', () => {
    const meter = new GeminiMeter({ model: 'gemini-2.5-flash', choices: 2 })
    const usageMetadata = { promptTokenCount: 10, totalTokenCount: 10 }
    const text = '"finishReason":"STOP"'
    meter.event(JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }], usageMetadata }))
    expect([meter.isComplete(), meter.usage()]).toEqual([false, undefined])
    meter.event(JSON.stringify({ candidates: [{ finishReason: 'STOP' }], usageMetadata }))
    expect(meter.isComplete()).toBe(false)
    const last = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 22 }
    meter.event(JSON.stringify({ candidates: [{ finishReason: 'STOP', index: 1 }], usageMetadata: last }))
    expect(meter.isComplete()).toBe(true)
    expect(meter.usage()).toEqual({ input_tokens: 10, output_tokens: 12, reasoning_output_tokens: 7 })
  })
})

describe('gemini', () => {
  const used = (answer: object, model = 'gemini-3-flash-preview') => {
    const meter = new GeminiMeter({ model, choices: 1 })
    meter.whole(answer)
    return meter.usage()
  }
  const candidates = [{ finishReason: 'STOP' }]

  test('input is the prompt with what was cached and what tools have returned', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 1_000,
      candidatesTokenCount: 5,
      totalTokenCount: 1_105,
      serviceTier: 'priority',
    }
    expect(used({ candidates, usageMetadata })).toEqual({
      input_tokens: 1_100,
      output_tokens: 5,
      cache_read_input_tokens: 60,
      service_tier: 'priority',
    })
  })

  test('what is in the total alone is output', () => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 40 }
    expect(used({ candidates, usageMetadata })).toEqual({ input_tokens: 10, output_tokens: 30 })
  })

  test('sound and pictures are told apart, and are never more than the whole', () => {
    const details = (counts: Record<string, number>) =>
      Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }))
    const usageMetadata = {
      promptTokenCount: 100,
      promptTokensDetails: details({ TEXT: 20, AUDIO: 30, IMAGE: 50 }),
      cachedContentTokenCount: 50,
      cacheTokensDetails: details({ AUDIO: 20, TEXT: 30 }),
      candidatesTokenCount: 1_300,
      candidatesTokensDetails: details({ IMAGE: 1_290 }),
    }
    expect(used({ candidates, usageMetadata })).toEqual({
      input_tokens: 100,
      output_tokens: 1_300,
      cache_read_input_tokens: 50,
      audio_input_tokens: 30,
      // Of what is left beside the audio and the cached text.
      image_input_tokens: 40,
      cache_read_audio_input_tokens: 20,
      image_output_tokens: 1_290,
    })
  })

  test('searches have a fee: each query, or each prompt in models before Gemini 3', () => {
    const usageMetadata = { promptTokenCount: 1, totalTokenCount: 1 }
    const grounded = (groundingMetadata: object) => ({
      candidates: [{ finishReason: 'STOP', groundingMetadata }],
      usageMetadata,
    })
    const queries = grounded({ webSearchQueries: ['a', '', 'b', 'a'] })
    expect(used(queries)?.units).toEqual({ web_search: 2 })
    expect(used(queries, 'gemini-2.5-pro')?.units).toEqual({ web_search: 1 })
    expect(used(grounded({ groundingChunks: [{}] }))?.units).toEqual({ web_search: 1 })
    expect(used(grounded({}))?.units).toBeUndefined()
  })

  test('a stream that came as an array is read to its last element', () => {
    const first = { candidates: [{}], usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } }
    const last = { candidates, usageMetadata: { promptTokenCount: 3, totalTokenCount: 9 } }
    expect(used([first, last])).toEqual({ input_tokens: 3, output_tokens: 6 })
    expect(used([first])).toBeUndefined()
  })
})
