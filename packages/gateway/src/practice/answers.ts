import { randomBytes } from 'node:crypto'
import type { Answer } from './answer.ts'
import type { Entry } from './books.ts'
import { geminiAnswer, geminiError } from './gemini.ts'
import type { Script } from './script.ts'

/** The answers of the practice provider, as each kind of provider would write them. */

const named = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const plain = (data: object) => `data: ${JSON.stringify(data)}\n\n`

const chatUsage = (entry: Entry) => ({
  prompt_tokens: entry.input,
  completion_tokens: entry.output,
  total_tokens: entry.input + entry.output,
  ...(entry.cached > 0 && { prompt_tokens_details: { cached_tokens: entry.cached } }),
  ...(entry.reasoning > 0 && { completion_tokens_details: { reasoning_tokens: entry.reasoning } }),
})

function chatAnswer(entry: Entry, body: Record<string, unknown>, { hidesUsage }: Script): Answer {
  const base = { id: 'chatcmpl-practice', created: 0, model: entry.model }
  const isText = entry.dialect === 'completions'
  const object = isText ? 'text_completion' : 'chat.completion'
  const { include_usage: isAsked } = (body['stream_options'] ?? {}) as { include_usage?: boolean }
  const wantsUsage = isAsked === true && hidesUsage !== true
  const { choices } = entry
  const chunk = (delta: object, finish: string | null, index = 0) =>
    plain({
      ...base,
      object: isText ? object : `${object}.chunk`,
      choices: [{ index, ...delta, finish_reason: finish, logprobs: null }],
      ...(wantsUsage && { usage: null }),
    })
  return {
    whole: (text, isCut) => ({
      ...base,
      object,
      choices: Array.from({ length: choices }, (_, index) => ({
        index,
        ...(isText ? { text } : { message: { role: 'assistant', content: text, refusal: null } }),
        finish_reason: isCut ? 'length' : 'stop',
        logprobs: null,
      })),
      ...(hidesUsage !== true && { usage: chatUsage(entry) }),
    }),
    begin: () => (isText ? [] : [chunk({ delta: { role: 'assistant', content: '' } }, null)]),
    piece: (text) => chunk(isText ? { text } : { delta: { content: text } }, null),
    end: (_, isCut) => [
      chunk(isText ? { text: '' } : { delta: {} }, isCut ? 'length' : 'stop'),
      ...(wantsUsage
        ? [plain({ ...base, object: isText ? object : `${object}.chunk`, choices: [], usage: chatUsage(entry) })]
        : []),
      'data: [DONE]\n\n',
    ],
  }
}

function messagesUsage(entry: Entry, script: Script) {
  const own = {
    input_tokens: entry.input - entry.cached - entry.written - (script.compaction?.input ?? 0),
    output_tokens: entry.output - (script.compaction?.output ?? 0),
    cache_read_input_tokens: entry.cached,
    cache_creation_input_tokens: entry.written,
  }
  const iterations = [
    ...(script.compaction
      ? [{ type: 'compaction', input_tokens: script.compaction.input, output_tokens: script.compaction.output }]
      : []),
    { type: 'message', ...own },
    ...(entry.advisor
      ? [
          {
            type: 'advisor_message',
            model: entry.advisor.model,
            input_tokens: entry.advisor.input,
            output_tokens: entry.advisor.output,
          },
        ]
      : []),
  ]
  return {
    ...own,
    ...(entry.searches > 0 && { server_tool_use: { web_search_requests: entry.searches } }),
    ...(iterations.length > 1 && { iterations }),
  }
}

function messagesAnswer(entry: Entry, script: Script): Answer {
  const base = {
    id: `msg_${randomBytes(12).toString('hex')}`,
    type: 'message',
    role: 'assistant',
    model: entry.model,
    stop_sequence: null,
  }
  return {
    whole: (text, isCut) => ({
      ...base,
      content: [{ type: 'text', text }],
      stop_reason: isCut ? 'max_tokens' : 'end_turn',
      usage: messagesUsage(entry, script),
    }),
    begin: () => [
      named('message_start', {
        message: {
          ...base,
          content: [],
          stop_reason: null,
          usage: { ...messagesUsage(entry, script), iterations: undefined, output_tokens: 1 },
        },
      }),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      named('ping', {}),
    ],
    piece: (text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    end: (_, isCut) => [
      named('content_block_stop', { index: 0 }),
      named('message_delta', {
        delta: { stop_reason: isCut ? 'max_tokens' : 'end_turn', stop_sequence: null },
        usage: messagesUsage(entry, script),
      }),
      named('message_stop', {}),
    ],
  }
}

function responsesAnswer(entry: Entry): Answer {
  let sequence = 0
  const [id, itemId] = ['resp', 'msg'].map((kind) => `${kind}_${randomBytes(12).toString('hex')}`)
  const event = (type: string, data: object) => {
    sequence += 1
    return named(type, { sequence_number: sequence, ...data })
  }
  const item = (text: string, status: string) => ({
    id: itemId,
    type: 'message',
    role: 'assistant',
    status,
    content:
      text === '' && status === 'in_progress' ? [] : [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  })
  const searches = Array.from({ length: entry.searches }, (_, i) => ({
    id: `ws_${i}`,
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'practice' },
  }))
  const response = (status: string, text: string) => ({
    id,
    object: 'response',
    created_at: 0,
    status,
    model: entry.model,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    output: status === 'in_progress' ? [] : [...searches, item(text, 'completed')],
    usage:
      status === 'in_progress'
        ? null
        : {
            input_tokens: entry.input,
            input_tokens_details: { cached_tokens: entry.cached },
            output_tokens: entry.output,
            output_tokens_details: { reasoning_tokens: entry.reasoning },
            total_tokens: entry.input + entry.output,
          },
  })
  const at = { output_index: entry.searches, content_index: 0, item_id: itemId }
  return {
    whole: (text, isCut) => response(isCut ? 'incomplete' : 'completed', text),
    begin: () => [
      event('response.created', { response: response('in_progress', '') }),
      event('response.in_progress', { response: response('in_progress', '') }),
      event('response.output_item.added', { output_index: entry.searches, item: item('', 'in_progress') }),
      event('response.content_part.added', {
        ...at,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      }),
    ],
    piece: (text) => event('response.output_text.delta', { ...at, delta: text, logprobs: [] }),
    end: (text, isCut) => {
      const status = isCut ? 'incomplete' : 'completed'
      return [
        event('response.output_text.done', { ...at, text, logprobs: [] }),
        event('response.content_part.done', {
          ...at,
          part: { type: 'output_text', text, annotations: [], logprobs: [] },
        }),
        event('response.output_item.done', { output_index: entry.searches, item: item(text, 'completed') }),
        event(`response.${status}`, { response: response(status, text) }),
      ]
    },
  }
}

function compactionAnswer(entry: Entry): Answer {
  const id = `resp_${randomBytes(12).toString('hex')}`
  return {
    whole: (text) => ({
      id,
      object: 'response.compaction',
      created_at: 0,
      output: [{ id: `cmp_${id}`, type: 'compaction', encrypted_content: text }],
      usage: { input_tokens: entry.input, output_tokens: entry.output, total_tokens: entry.input + entry.output },
    }),
    begin: () => [],
    piece: () => '',
    end: () => [],
  }
}

export function answerFor(entry: Entry, body: Record<string, unknown>, script: Script): Answer {
  if (entry.dialect === 'compaction') return compactionAnswer(entry)
  if (entry.dialect === 'messages') return messagesAnswer(entry, script)
  if (entry.dialect === 'gemini') return geminiAnswer(entry, body, script)
  return entry.dialect === 'responses' ? responsesAnswer(entry) : chatAnswer(entry, body, script)
}

export function errorBody(dialect: Entry['dialect'], status: number): object {
  const message = `the practice provider was told to answer ${status}`
  if (dialect.startsWith('gemini')) return geminiError(status, message)
  return dialect === 'messages'
    ? { type: 'error', error: { type: 'api_error', message } }
    : { error: { message, type: 'server_error', code: null, param: null } }
}
