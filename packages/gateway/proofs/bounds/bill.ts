import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { geminiOutput, readGemini, readGeminiEmbeddings } from './gemini-bill.ts'
import { anySchema, anyTool, isMembers, listOf, type Members, type Prompt, perMessage, worstTokens } from './prompts.ts'
import { asIndentedJson, asSpacedJson, asTypeScript } from './tool-prompts.ts'

/**
 * The most that a provider may bill for a request as it was sent. It reads the request alone, and shares no code with the gateway, so that
 * it shares no mistake with it.
 */
export interface Bill {
  /** Input by each vocabulary. */
  readonly input: Readonly<Record<string, number>>
  readonly output: number
}

const byteLength = (text: string) => Buffer.byteLength(text)
const plain = { disallowedSpecial: new Set<string>() }
export const vocabularies: Readonly<Record<string, (text: string) => number>> = {
  o200k: (text) => countO200k(text, plain),
  cl100k: (text) => countCl100k(text, plain),
}

/** Tokens of the prompts that Anthropic documents for its own tools. */
const documented: readonly (readonly [RegExp, number])[] = [
  [/^bash_/, 245],
  [/^text_editor_/, 700],
  [/^computer_/, 735 + 499],
  [/^memory_/, 700],
  [/^(local_shell|apply_patch|computer_use_preview)$/, 735],
]

/**
 * Bills a request of which `held` input tokens are held. A token of a vocabulary stands for at least a byte, so texts of fewer bytes than
 * are held need no counting by vocabularies.
 */
export function billOf(dialect: Dialect['name'], sent: string, model: string, held: number): Bill {
  const body = JSON.parse(sent) as Members
  const prompt: Prompt = { texts: [], extra: 8, images: 0, tools: [] }
  readers[dialect]?.(body, prompt)
  const images = prompt.images * mostImageTokens(model)
  const text = prompt.texts.join('\n')
  const normal = text.normalize('NFKC')
  const forms = prompt.tools.length === 0 ? [] : formsOf(prompt.tools)
  const input: Record<string, number> = {}
  const longest = (count: (text: string) => number) => forms.reduce((most, form) => Math.max(most, count(form)), 0)
  const most = Math.max(byteLength(text), byteLength(normal)) + longest(byteLength) + prompt.extra + images
  for (const [name, count] of most > held ? Object.entries(vocabularies) : []) {
    const rest = longest(count) + prompt.extra + images
    input[name] = count(text) + rest
    if (normal !== text) input[`${name} after NFKC`] = count(normal) + rest
  }
  const worstTools = prompt.tools.length === 0 ? 0 : worstTokens(JSON.stringify(prompt.tools))
  input['worst'] = prompt.texts.reduce((sum, one) => sum + worstTokens(one), worstTools) + prompt.extra + images
  return { input, output: outputOf(dialect, body, model) }
}

/** Tools in every form in which a provider may write them. */
const formsOf = (tools: readonly unknown[]) => [asTypeScript(tools), asIndentedJson(tools), asSpacedJson(tools)]

/** The most tokens of one image, by the public rules of each model. */
function mostImageTokens(model: string): number {
  if (model.startsWith('gpt-4o-mini')) return 2_833 + 8 * 5_667
  if (model.startsWith('gpt-4')) return 85 + 8 * 170
  if (model.startsWith('gpt-5')) return 70 + 8 * 140
  if (/^o\d/.test(model)) return 75 + 8 * 150
  if (/^claude-(opus-4-[7-9])/.test(model)) return 4_784
  if (model.startsWith('gemini-embedding')) return 258
  if (model.startsWith('gemini-3')) return 2_240
  // Tiles of 256 pixels or more, of a picture of up to 3,072 in each direction.
  if (model.startsWith('gemini-')) return 24 * 258
  return 1_600
}

function readContent(content: unknown, prompt: Prompt) {
  if (typeof content === 'string') prompt.texts.push(content)
  for (const part of listOf(content)) {
    if (!isMembers(part)) continue
    prompt.extra += 2
    const { type } = part
    if (type === 'image_url' || type === 'input_image' || type === 'image') prompt.images += 1
    for (const field of ['text', 'thinking', 'name'])
      if (typeof part[field] === 'string') prompt.texts.push(part[field])
    if (isMembers(part['input'])) prompt.texts.push(asSpacedJson(part['input']))
    if (isMembers(part['source']) && type === 'document') readContent(part['source']['data'], prompt)
    if (type === 'tool_result') readContent(part['content'], prompt)
  }
}

function readTools(body: Members, prompt: Prompt) {
  const tools = [...listOf(body['tools']), ...listOf(body['functions'])]
  prompt.tools.push(...tools)
  if (tools.length > 0) prompt.extra += anyTool
  for (const tool of tools) {
    const type = isMembers(tool) ? String(tool['type']) : ''
    prompt.extra += documented.find(([pattern]) => pattern.test(type))?.[1] ?? 0
  }
  const { text } = body as { text?: { format?: unknown } }
  for (const form of [body['response_format'], body['output_format'], text?.format]) {
    if (form === undefined) continue
    prompt.extra += anySchema
    prompt.tools.push(form)
  }
}

const readChat = (body: Members, prompt: Prompt) => {
  for (const message of listOf(body['messages'])) {
    if (!isMembers(message)) continue
    prompt.extra += perMessage
    for (const field of ['name']) if (typeof message[field] === 'string') prompt.texts.push(message[field])
    readContent(message['content'], prompt)
    for (const call of listOf(message['tool_calls'])) prompt.texts.push(asSpacedJson(call))
  }
  readTools(body, prompt)
}

/** Reads prompts of which each is a text, or a list of tokens. */
const readPrompts = (value: unknown, prompt: Prompt) => {
  if (typeof value === 'string') prompt.texts.push(value)
  if (listOf(value).every((part) => typeof part === 'number')) {
    prompt.extra += listOf(value).length
    return
  }
  for (const part of listOf(value)) {
    prompt.extra += 1
    readPrompts(part, prompt)
  }
}

const readers: Partial<Record<Dialect['name'], (body: Members, prompt: Prompt) => void>> = {
  chat: readChat,
  completions: (body, prompt) => {
    readPrompts(body['prompt'], prompt)
    readContent(body['suffix'], prompt)
  },
  embeddings: (body, prompt) => readPrompts(body['input'], prompt),
  responses: (body, prompt) => {
    readContent(body['instructions'], prompt)
    if (typeof body['input'] === 'string') readContent(body['input'], prompt)
    for (const item of listOf(body['input'])) {
      if (!isMembers(item)) continue
      prompt.extra += perMessage
      for (const field of ['content', 'output', 'summary', 'name', 'arguments']) readContent(item[field], prompt)
    }
    readTools(body, prompt)
  },
  messages: (body, prompt) => {
    readContent(body['system'], prompt)
    readChat(body, prompt)
  },
  gemini: readGemini,
  'gemini-embeddings': readGeminiEmbeddings,
}

/** The longest output that the request allows: of all answers, with the token that ends each. */
function outputOf(dialect: Dialect['name'], body: Members, model: string): number {
  if (dialect.endsWith('embeddings')) return 0
  if (dialect === 'gemini') return geminiOutput(body, model)
  const maxima = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'].flatMap((field) =>
    typeof body[field] === 'number' ? [body[field]] : [],
  )
  // Which of two counts is the provider's affair; without any it is as long as the model likes.
  const each = maxima.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...maxima)
  const number = (field: string) => (typeof body[field] === 'number' ? body[field] : 1)
  if (dialect !== 'completions')
    return (
      (each + 1) * number('n') +
      (body['prediction'] === undefined ? 0 : worstTokens(JSON.stringify(body['prediction'])))
    )
  const { prompt } = body
  const isOne = !Array.isArray(prompt) || prompt.every((part) => typeof part === 'number')
  const prompts = isOne ? 1 : prompt.length
  const stop = each === 0 ? 0 : 1
  const answers = Math.max(number('n'), number('best_of'))
  const read: Prompt = { texts: [], extra: 0, images: 0, tools: [] }
  readPrompts(prompt, read)
  const echoed =
    body['echo'] === true ? answers * (read.extra + read.texts.reduce((sum, text) => sum + worstTokens(text), 0)) : 0
  return (each + stop) * answers * prompts + echoed
}
