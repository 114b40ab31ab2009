import type { Edit } from '../values/json-text.ts'
import { textsOfContent } from './chat.ts'
import { conversationOf, sampling } from './conversation.ts'
import {
  type Asked,
  type Conversation,
  type Dialect,
  type JsonObject,
  RequestFault,
  type ServerTool,
  type StoredId,
} from './dialect.ts'
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
  pick,
  tierAt,
  unknownFields,
} from './fields.ts'
import { ResponsesMeter } from './responses-meter.ts'

/** The dialect of OpenAI's `POST /v1/responses`. */

const known = new Set(
  `model input instructions include max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id
  conversation prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream
  stream_options temperature text tool_choice tools top_logprobs top_p truncation user background client_metadata
  context_management`.split(/\s+/),
)

/** Tools that the caller runs: any other type is one that OpenAI runs, also a type that does not exist yet. */
const clientTools = new Set(['function', 'custom', 'local_shell', 'computer_use_preview', 'computer', 'apply_patch'])

/** Returns tools that items of the input add to those of the request. A list of what a connector offers adds none. */
const addedTools = (body: JsonObject): readonly unknown[] =>
  arrayOf(body['input']).flatMap((item) =>
    isObject(item) && item['type'] !== 'mcp_list_tools' ? arrayOf(item['tools']) : [],
  )

/** Counts the tools of the caller that OpenAI itself defines, in words of its own. */
const definedTools = (tools: readonly unknown[]): number =>
  tools.filter((tool) => isObject(tool) && !writtenTools.has(tool['type'])).length
const writtenTools: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace'])

/** Items of the input whose tokens are in their bytes. */
const inline = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'tool_search_call',
  'tool_search_output',
  'reasoning',
])
const inlineParts = new Set(['input_text', 'output_text', 'text', 'refusal', 'reasoning_text', 'summary_text'])

/** Fields that the count of tokens takes. */
const counted = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'truncation',
  'parallel_tool_calls',
  'previous_response_id',
  'conversation',
]

const referring = ['previous_response_id', 'conversation', 'prompt']

const shownDelta = /"type": ?"response\.(?:output_text|refusal|function_call_arguments|custom_tool_call_input)\.delta"/

export const responses: Dialect = {
  name: 'responses',
  kinds: ['openai', 'azure'],

  analyse(body) {
    const maxOutput = countAt(body, 'max_output_tokens')
    const isOn = (field: string) => isGiven(body[field]) && body[field] !== false
    const tools = [...arrayOf(body['tools']), ...addedTools(body)]
    return {
      model: modelAt(body),
      stream: flagAt(body, 'stream'),
      choices: 1,
      ...contentOf(body),
      maxOutput,
      outputFields: maxOutput === undefined ? [] : ['max_output_tokens'],
      leastOutput: 16,
      extraOutput: 0,
      hasTools: tools.length > 0,
      ownPrompts: definedTools(tools) + (isGiven(objectAt(body, 'text')?.['format']) ? 1 : 0),
      schemas: [tools, body['text']],
      serverTools: serverToolsIn(body),
      // What runs in the background is billed after the answer has gone; a prompt that is kept there may bring tools with it.
      unpriced: [...['background', 'context_management', 'prompt'].filter(isOn), ...choosingFields(body, known)],
      unknown: unknownFields(body, known),
      serviceTier: tierAt(body, ['auto', 'default', 'standard']),
      wantsUsage: true,
      hidesReasoning: true,
    } satisfies Asked
  },

  edits: (asked, granted, _provider, tools) => [
    ...(asked.maxOutput === granted ? [] : [{ path: ['max_output_tokens'], value: granted } as Edit]),
    ...(tools.length === 0
      ? []
      : [{ path: ['max_tool_calls'], value: tools.reduce((sum, tool) => sum + tool.granted, 0) } as Edit]),
  ],

  meter: () => new ResponsesMeter(),

  stored: storedIn,

  shows: (data) => shownDelta.test(data),

  generatedText(data) {
    if (!data.includes('.delta"')) return ''
    const delta = parseObject(data)?.['delta']
    return typeof delta === 'string' ? delta : ''
  },

  conversation,

  countRequest: (body) => ({ path: '/v1/responses/input_tokens', body: pick(body, counted) }),

  texts: ({ input, instructions }) => [
    ...(typeof input === 'string'
      ? [input]
      : arrayOf(input)
          .toReversed()
          .flatMap((item) =>
            isObject(item) ? [...textsOfContent(item['content']), ...textsOfContent(item['output'])] : [],
          )),
    ...textsOfContent(instructions),
  ],
}

/** Settings that leave the length of the input as it is. */
const harmless = new Set([...sampling, 'input', 'client_metadata'])

/** The conversation of a request. What is cut off where it is too long, or brings tools of its own, says nothing of another one. */
function conversation(body: JsonObject): Conversation | undefined {
  const { input, truncation } = body
  const isWhole = !isGiven(truncation) || truncation === 'disabled'
  if (!Array.isArray(input) || !isWhole || addedTools(body).length > 0) return undefined
  return conversationOf(body, input, harmless, isAnswer)
}

/** True for an item that a model has made; all others are messages of the caller's side, and what its tools have returned. */
function isAnswer(item: unknown): boolean {
  if (!isObject(item)) return false
  const { type = 'message', role } = item
  return type === 'message' ? role === 'assistant' : !String(type).endsWith('_output')
}

/** Finds images and references in the input. An item of an unknown type may be anything, so it counts as a reference. */
function contentOf(body: JsonObject): Pick<Asked, 'media' | 'images' | 'references'> {
  const media = new Set<string>()
  const references = referring.filter((field) => body[field] !== undefined && body[field] !== null)
  let images = 0
  const lookAtParts = (parts: unknown, place: string) => {
    arrayOf(parts).forEach((part: unknown, j) => {
      const type = isObject(part) ? part['type'] : undefined
      if (typeof type === 'string' && inlineParts.has(type)) return
      if (type !== 'input_image' || !isObject(part)) {
        references.push(`${place}.${j}`)
        return
      }
      images += 1
      const url = part['image_url']
      if (typeof url === 'string' && isInlineImage(url)) media.add(url)
    })
  }
  const input = body['input']
  if (input !== undefined && typeof input !== 'string' && !Array.isArray(input))
    throw new RequestFault('invalid_request', 'input must be a text or an array', 'input')
  arrayOf(input).forEach((item: unknown, i) => {
    if (!isObject(item)) throw new RequestFault('invalid_request', `input.${i} must be an object`, `input.${i}`)
    const type = item['type'] ?? 'message'
    if (isReference(item)) references.push(`input.${i}`)
    else if (type === 'message') lookAtParts(item['content'], `input.${i}.content`)
    else if (typeof type === 'string' && inline.has(type)) lookAtParts(item['output'], `input.${i}.output`)
    else references.push(`input.${i}`)
  })
  return { media, images, references }
}

/** The fields that hold the content of items, by their types. */
const contentFields: Readonly<Record<string, string>> = {
  message: 'content',
  reasoning: 'encrypted_content',
  compaction: 'encrypted_content',
  image_generation_call: 'result',
  code_interpreter_call: 'code',
  file_search_call: 'results',
  web_search_call: 'action',
  computer_call: 'action',
  computer_call_output: 'output',
  mcp_call: 'output',
  mcp_list_tools: 'tools',
}

/** True for an item that stands for one which the provider keeps: it has no content of its own, or is of a type that may stand for anything. */
function isReference(item: JsonObject): boolean {
  const type = item['type'] ?? 'message'
  if (typeof type !== 'string' || type === 'item_reference') return true
  const field = Object.hasOwn(contentFields, type) ? contentFields[type] : undefined
  if (field === undefined) return !inline.has(type)
  return type === 'message' ? !isGiven(item[field]) : !hasContent(item[field])
}

const hasContent = (value: unknown) =>
  typeof value === 'string' ? value !== '' : value instanceof Object && Object.keys(value).length > 0

/** Finds the ids of what the provider keeps. Conversations cannot be made here, so every one is somebody else's. */
function storedIn(body: JsonObject): StoredId[] {
  const idOf = (value: unknown) => (isObject(value) ? value['id'] : value)
  const named = ['previous_response_id', 'conversation'].map((field) => ({ id: idOf(body[field]), field }))
  const items = arrayOf(body['input']).flatMap((item, i) =>
    isObject(item) && isReference(item) && item['id'] !== undefined ? [{ id: item['id'], field: `input.${i}` }] : [],
  )
  return [...named, ...items].flatMap(({ id, field }) => {
    if (id === undefined || id === null) return []
    if (typeof id !== 'string') throw new RequestFault('invalid_request', `${field} must be an id`, field)
    return [{ id, field }]
  })
}

function serverToolsIn(body: JsonObject): ServerTool[] {
  const uses = countAt(body, 'max_tool_calls')
  const look = (tool: unknown, index: number | undefined): ServerTool[] => {
    const type = isObject(tool) ? tool['type'] : undefined
    if (isObject(tool) && type === 'namespace') return arrayOf(tool['tools']).flatMap((inner) => look(inner, index))
    if (typeof type === 'string' && clientTools.has(type)) return []
    const name = typeof type === 'string' ? type.replace(/(_preview)?(_\d{4}_\d{2}_\d{2})?$/, '') : 'unknown'
    return [{ type: name, uses, index }]
  }
  return [...arrayOf(body['tools']).flatMap(look), ...addedTools(body).flatMap((tool) => look(tool, undefined))]
}
