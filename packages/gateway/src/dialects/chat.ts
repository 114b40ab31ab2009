import type { Edit } from '../values/json-text.ts'
import { valueBound } from '../values/text-bound.ts'
import { ChatMeter } from './chat-meter.ts'
import { conversationOf, sampling } from './conversation.ts'
import { type Asked, type Dialect, type JsonObject, RequestFault, type ServerTool } from './dialect.ts'
import {
  arrayOf,
  choosingFields,
  countAt,
  flagAt,
  isGiven,
  isInlineImage,
  isObject,
  modelAt,
  objectAt,
  parseObject,
  tierAt,
  unknownFields,
} from './fields.ts'

/** The dialect of `POST /v1/chat/completions`: of OpenAI, Azure, and all who are compatible with them. */

const known = new Set(
  `messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
  metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention
  reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature
  tool_choice tools top_logprobs top_p user verbosity web_search_options
  top_k min_p repetition_penalty chat_template_kwargs reasoning thinking include_reasoning reasoning_format
  guided_json guided_regex guided_choice guided_grammar structured_outputs stop_token_ids ignore_eos min_tokens
  skip_special_tokens keep_alive format random_seed safe_prompt prompt_mode cache_salt`.split(/\s+/),
)

/** Fields that make a model think, or say that what it thinks is not to be shown. */
const reasoningFields = ['reasoning', 'reasoning_effort', 'include_reasoning', 'reasoning_format']

const outputFields = ['max_completion_tokens', 'max_tokens'] as const

const standardTiers = ['auto', 'default', 'standard']

export const chat: Dialect = {
  name: 'chat',
  kinds: ['openai', 'azure'],

  analyse(body) {
    const content = contentOf(body)
    const bounds = outputFields.flatMap((field) => {
      const count = countAt(body, field)
      return count === undefined ? [] : [{ field, count }]
    })
    const prediction = objectAt(body, 'prediction')
    return {
      model: modelAt(body),
      stream: flagAt(body, 'stream'),
      choices: countAt(body, 'n') ?? 1,
      ...content,
      maxOutput: bounds.length === 0 ? undefined : Math.min(...bounds.map(({ count }) => count)),
      outputFields: bounds.map(({ field }) => field),
      leastOutput: 1,
      extraOutput: prediction === undefined ? 0 : valueBound(prediction),
      hasTools: arrayOf(body['tools']).length > 0 || arrayOf(body['functions']).length > 0,
      ownPrompts: isGiven(body['response_format']) ? 1 : 0,
      schemas: [body['tools'], body['functions'], body['response_format']],
      serverTools: serverToolsIn(body),
      unpriced: choosingFields(body, known),
      unknown: unknownFields(body, known),
      serviceTier: tierAt(body, standardTiers),
      wantsUsage: objectAt(body, 'stream_options')?.['include_usage'] === true,
      hidesReasoning: reasoningFields.some((field) => isGiven(body[field])),
    } satisfies Asked
  },

  edits(asked, granted, { max_tokens_field, usage_in_stream = 'ask' }) {
    const field = max_tokens_field ?? 'max_completion_tokens'
    const binding: readonly string[] = field === 'max_completion_tokens' ? outputFields : ['max_tokens']
    const isBound = asked.outputFields.some((name) => binding.includes(name))
    return [
      ...asked.outputFields.map((name): Edit => ({ path: [name], value: granted })),
      ...(isBound ? [] : [{ path: [field], value: granted } as const]),
      ...usageEdits(asked, usage_in_stream),
    ]
  },

  // An answer does not say how often it searched: once, at least.
  meter: ({ serverTools }) => new ChatMeter(serverTools.filter(({ type }) => type === 'web_search').length),

  isOurs(asked, { usage_in_stream = 'ask' }, data) {
    if (asked.wantsUsage || usage_in_stream === 'always' || !data.includes('"usage"')) return false
    const event = parseObject(data)
    return isObject(event?.['usage']) && Array.isArray(event['choices']) && event['choices'].length === 0
  },

  shows: (data) => /"(?:content|arguments)": ?"[^"]/.test(data),

  generatedText: (data) =>
    arrayOf(parseObject(data)?.['choices'])
      .flatMap((choice) => (isObject(choice) ? textsIn(choice['delta'] ?? choice['text']) : []))
      .join(''),

  conversation: (body) => conversationOf(body, arrayOf(body['messages']), harmless, isAnswer),

  texts: (body) =>
    arrayOf(body['messages'])
      .toReversed()
      .flatMap((message) => (isObject(message) ? textsOfContent(message['content']) : [])),
}

const harmless = new Set([...sampling, 'messages'])
const isAnswer = (message: unknown) => isObject(message) && message['role'] === 'assistant'

function usageEdits({ stream, wantsUsage }: Asked, usageInStream: string): Edit[] {
  if (!stream || usageInStream === 'always' || usageInStream === 'never') return []
  return [
    ...(wantsUsage ? [] : [{ path: ['stream_options', 'include_usage'], value: true } as const]),
    ...(usageInStream === 'continuous'
      ? [{ path: ['stream_options', 'continuous_usage_stats'], value: true } as const]
      : []),
  ]
}

/** Finds images and references in messages. A part of an unknown type may be anything, so it counts as a reference. */
function contentOf(body: JsonObject): Pick<Asked, 'media' | 'images' | 'references'> {
  const media = new Set<string>()
  const references: string[] = []
  let images = 0
  const messages = body['messages']
  if (!Array.isArray(messages)) throw new RequestFault('invalid_request', 'messages must be an array', 'messages')
  messages.forEach((message: unknown, i) => {
    if (!isObject(message))
      throw new RequestFault('invalid_request', `messages.${i} must be an object`, `messages.${i}`)
    if (message['audio'] !== undefined && message['audio'] !== null) references.push(`messages.${i}.audio`)
    arrayOf(message['content']).forEach((part: unknown, j) => {
      const place = `messages.${i}.content.${j}`
      if (typeof part === 'string') return
      const type = isObject(part) ? part['type'] : undefined
      if (type === 'text' || type === 'refusal' || type === 'thinking') return
      if (type !== 'image_url' || !isObject(part)) {
        references.push(place)
        return
      }
      images += 1
      const image = part['image_url']
      const url = isObject(image) ? image['url'] : image
      if (typeof url === 'string' && isInlineImage(url)) media.add(url)
    })
  })
  return { media, images, references }
}

/** Models that search before they answer, whether a request says so or not. */
const searching = /(^|\/)gpt-[\w.-]+-search-(preview|api)\b|:online$/

function serverToolsIn(body: JsonObject): ServerTool[] {
  const tools = arrayOf(body['tools']).flatMap((tool, index): ServerTool[] => {
    const type = isObject(tool) ? tool['type'] : undefined
    if (type === 'function' || type === 'custom') return []
    return [{ type: typeof type === 'string' ? type : 'unknown', uses: undefined, index }]
  })
  const isSearch = objectAt(body, 'web_search_options') !== undefined || searching.test(String(body['model']))
  return !isSearch ? tools : [...tools, { type: 'web_search', uses: 1, index: undefined }]
}

/** All texts inside a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(textsIn)
}

export const textsOfContent = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : arrayOf(content).flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
