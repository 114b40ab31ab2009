import type { Edit } from '../values/json-text.ts'
import { textsOfContent } from './chat.ts'
import { conversationOf, sampling } from './conversation.ts'
import {
  type Asked,
  type CacheCreation,
  type Conversation,
  type Dialect,
  type JsonObject,
  RequestFault,
  type ServerTool,
} from './dialect.ts'
import {
  arrayOf,
  choosingFields,
  countAt,
  flagAt,
  isBase64,
  isGiven,
  isObject,
  modelAt,
  objectAt,
  parseObject,
  pick,
  textAt,
  unknownFields,
} from './fields.ts'
import { MessagesMeter } from './messages-meter.ts'

/** The dialect of Anthropic's `POST /v1/messages`. */

const known = new Set(
  `model messages max_tokens system metadata stop_sequences stream temperature top_k top_p tools tool_choice thinking
  service_tier cache_control context_management output_config output_format anthropic_version anthropic_beta`.split(
    /\s+/,
  ),
)

/** Fields that let Anthropic do work beside the answer, or charge another price for it. */
const priced = ['mcp_servers', 'container', 'speed', 'inference_geo', 'fallback']

/** Tools that the caller runs: any other type is one that Anthropic runs, also a type that does not exist yet. */
const clientTools = /^(custom|(bash|text_editor|computer|memory)_\d{8})$/

/** Counts the tools of the caller that Anthropic itself defines, in words of its own. */
const definedTools = (body: JsonObject): number =>
  arrayOf(body['tools']).filter((tool) => isObject(tool) && isGiven(tool['type']) && tool['type'] !== 'custom').length

/** Fields that the count of tokens takes. */
const counted = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'output_format']

/** Parts of a message whose tokens are in their bytes. */
const inline = new Set(['text', 'tool_use', 'thinking', 'redacted_thinking', 'search_result', 'tool_reference'])

export const messages: Dialect = {
  name: 'messages',
  kinds: ['anthropic', 'bedrock-anthropic', 'vertex-anthropic'],

  analyse(given, facts) {
    const body: JsonObject = { ...given, ...facts }
    const maxOutput = countAt(body, 'max_tokens')
    const thinking = objectAt(body, 'thinking')
    const budget = thinking === undefined ? undefined : countAt(thinking, 'budget_tokens', 'thinking.budget_tokens')
    if (maxOutput !== undefined && budget !== undefined && budget >= maxOutput)
      throw new RequestFault('invalid_request', 'max_tokens must be above thinking.budget_tokens', 'max_tokens')
    const tier = textAt(body, 'service_tier')
    if (tier !== undefined && tier !== 'auto' && tier !== 'standard_only')
      throw new RequestFault('unbounded', `service_tier ${tier} has no known price`, 'service_tier')
    return {
      model: modelAt(body),
      stream: flagAt(body, 'stream'),
      choices: 1,
      ...contentOf(body),
      maxOutput,
      outputFields: maxOutput === undefined ? [] : ['max_tokens'],
      leastOutput: (budget ?? 0) + 1,
      extraOutput: 0,
      hasTools: arrayOf(body['tools']).length > 0,
      ownPrompts:
        definedTools(body) +
        [body['output_format'], objectAt(body, 'output_config')?.['format']].filter(isGiven).length,
      schemas: [body['tools'], body['output_format'], body['output_config']],
      serverTools: serverToolsIn(body),
      unpriced: [
        ...priced.filter((field) => isGiven(body[field])),
        ...choosingFields(body, known),
        ...growingEdits(body),
      ],
      unknown: unknownFields(body, known).filter((field) => !priced.includes(field)),
      serviceTier: undefined,
      wantsUsage: true,
      hidesReasoning: thinking !== undefined && thinking['type'] !== 'disabled',
    } satisfies Asked
  },

  edits: (asked, granted, _provider, tools) => [
    ...(asked.maxOutput === granted ? [] : [{ path: ['max_tokens'], value: granted } as Edit]),
    ...toolEdits(tools),
  ],

  meter: () => new MessagesMeter(),

  shows: (data) => /"type": ?"(?:text|input_json)_delta"/.test(data),

  generatedText(data) {
    if (!data.includes('"content_block_')) return ''
    const event = parseObject(data)
    const delta = event?.['delta'] ?? event?.['content_block']
    return isObject(delta)
      ? ['text', 'partial_json', 'thinking', 'name']
          .map((field) => delta[field])
          .filter((text) => typeof text === 'string')
          .join('')
      : ''
  },

  conversation,

  cacheCreation: (body, text) => (/cache_control|\\u/.test(text) ? longestCache(body) : 'none'),

  countRequest: (body) => ({ path: '/v1/messages/count_tokens', body: pick(body, counted) }),

  texts: (body) => [
    ...arrayOf(body['messages'])
      .toReversed()
      .flatMap((message) => (isObject(message) ? messageTexts(message['content']) : [])),
    ...textsOfContent(body['system']),
  ],
}

/** Texts of a message, with those that tools have returned. */
const messageTexts = (content: unknown): string[] => [
  ...textsOfContent(content),
  ...arrayOf(content).flatMap((part) =>
    isObject(part) && part['type'] === 'tool_result' ? textsOfContent(part['content']) : [],
  ),
]

/** Edits of the context that can make more work than they save: those that only clear it are not among them. */
const growingEdits = (body: JsonObject): string[] =>
  arrayOf(objectAt(body, 'context_management')?.['edits']).flatMap((edit, i) => {
    const type = isObject(edit) ? edit['type'] : undefined
    return typeof type === 'string' && /^clear_(tool_uses|thinking)_\d{8}$/.test(type)
      ? []
      : [`context_management.edits.${i}`]
  })

function serverToolsIn(body: JsonObject): ServerTool[] {
  return arrayOf(body['tools']).flatMap((tool, index): ServerTool[] => {
    if (!isObject(tool)) throw new RequestFault('invalid_request', `tools.${index} must be an object`, `tools.${index}`)
    const type = tool['type'] ?? 'custom'
    if (typeof type === 'string' && clientTools.test(type)) return []
    return [
      {
        type: typeof type === 'string' ? type.replace(/_\d{8}$/, '') : 'unknown',
        uses: countAt(tool, 'max_uses', `tools.${index}.max_uses`),
        index,
      },
    ]
  })
}

/** Writes the number of uses that was held into every tool of the provider. */
const toolEdits = (
  tools: readonly { index: number | undefined; uses: number | undefined; granted: number }[],
): Edit[] =>
  tools.flatMap(({ index, uses, granted }): Edit[] =>
    index === undefined || uses === granted ? [] : [{ path: ['tools', String(index), 'max_uses'], value: granted }],
  )

/** Finds images and references in the system prompt and in messages, also in what tools have returned. */
function contentOf(body: JsonObject): Pick<Asked, 'media' | 'images' | 'references'> {
  const media = new Set<string>()
  const references: string[] = []
  let images = 0
  const look = (content: unknown, place: string) => {
    arrayOf(content).forEach((part: unknown, i) => {
      const here = `${place}.${i}`
      const type = isObject(part) ? part['type'] : undefined
      if (!isObject(part) || typeof type !== 'string') references.push(here)
      else if (inline.has(type)) return
      else if (type === 'tool_result') look(part['content'], `${here}.content`)
      else if (type === 'image') {
        images += 1
        const source = part['source']
        const data = isObject(source) && source['type'] === 'base64' ? source['data'] : undefined
        if (typeof data === 'string' && isBase64(data)) media.add(data)
      } else if (type === 'document' && isObject(part['source']) && isInlineDocument(part['source']))
        look(part['source']['content'], `${here}.source.content`)
      else references.push(here)
    })
  }
  const list = body['messages']
  if (!Array.isArray(list)) throw new RequestFault('invalid_request', 'messages must be an array', 'messages')
  look(body['system'], 'system')
  list.forEach((message: unknown, i) => {
    if (!isObject(message))
      throw new RequestFault('invalid_request', `messages.${i} must be an object`, `messages.${i}`)
    look(message['content'], `messages.${i}.content`)
  })
  return { media, images, references }
}

const isInlineDocument = (source: JsonObject) => source['type'] === 'text' || source['type'] === 'content'

/** Settings that leave the length of the input as it is; a cache is one. */
const harmless = new Set([...sampling, 'messages', 'cache_control'])

/**
 * The conversation of a request. Thinking that was cleared from a turn stays cleared in all later ones; results of tools do not: whether they
 * are cleared depends on how long the rest is.
 */
function conversation(body: JsonObject): Conversation | undefined {
  const edits = arrayOf(objectAt(body, 'context_management')?.['edits'])
  if (!edits.every((edit) => isObject(edit) && /^clear_thinking_\d{8}$/.test(String(edit['type'])))) return undefined
  const plain = {
    ...body,
    ...(Array.isArray(body['system']) && { system: body['system'].map(withoutCache) }),
    ...(Array.isArray(body['tools']) && { tools: body['tools'].map(withoutCache) }),
  }
  const isAnswer = (message: unknown) => isObject(message) && message['role'] === 'assistant'
  return conversationOf(plain, arrayOf(body['messages']).map(plainMessage), harmless, isAnswer)
}

/** Returns a message in one spelling, without the marks of a cache. */
function plainMessage(message: unknown): unknown {
  if (!isObject(message)) return message
  const { content } = message
  if (typeof content === 'string') return { ...message, content: [{ type: 'text', text: content }] }
  return Array.isArray(content) ? { ...message, content: content.map(withoutCache) } : message
}

/** Leaves out where a cache begins, of a part or a tool and of what a tool has returned: there alone it is no content. */
function withoutCache(part: unknown): unknown {
  if (!isObject(part)) return part
  const { cache_control: _, ...rest } = part
  const { content } = rest
  return rest['type'] === 'tool_result' && Array.isArray(content)
    ? { ...rest, content: content.map(withoutCache) }
    : rest
}

/** Returns the longest life of a cache that anything in a value asks for, wherever it stands. */
function longestCache(value: unknown): CacheCreation {
  if (value === null || typeof value !== 'object') return 'none'
  let longest: CacheCreation = 'none'
  for (const [field, inner] of Object.entries(value)) {
    const own = field === 'cache_control' && isGiven(inner) ? lifeOf(inner) : 'none'
    const deeper = longestCache(inner)
    if (own === '1h' || deeper === '1h') return '1h'
    if (own === '5m' || deeper === '5m') longest = '5m'
  }
  return longest
}

/** The life of a cache: five minutes where nothing else is said. What is not known may live for longer. */
const lifeOf = (control: unknown): CacheCreation =>
  isObject(control) && (control['ttl'] === undefined || control['ttl'] === '5m') ? '5m' : '1h'
