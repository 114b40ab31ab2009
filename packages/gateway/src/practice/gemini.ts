import type { Answer } from './answer.ts'
import type { Entry } from './books.ts'
import type { Script } from './script.ts'

/** Gemini, as the practice provider plays it. It takes both spellings of a field, and the larger of two maxima. */

export interface GeminiOperation {
  readonly dialect: Entry['dialect']
  readonly model: string
  readonly name: string
  readonly stream: boolean
}

/** Reads the operation that a path of Gemini names. */
export function geminiOperation(path: string): GeminiOperation | undefined {
  const [, model, name] = /\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/.exec(path) ?? []
  if (model === undefined || name === undefined) return undefined
  const dialect = name.includes('mbedContent') ? 'gemini-embeddings' : 'gemini'
  return { dialect, model: decodeURIComponent(model), name, stream: name === 'streamGenerateContent' }
}

type Json = Readonly<Record<string, unknown>>

/** Returns the values of a field of several objects, under either of its names. */
const valuesOf = (objects: readonly unknown[], ...names: string[]): unknown[] =>
  objects
    .flatMap((object) => names.map((name) => (object as Json | undefined)?.[name]))
    .filter((one) => one !== undefined && one !== null)

const largest = (values: readonly unknown[]): number | undefined =>
  values.length === 0 ? undefined : Math.max(...values.map(Number))

/** Reads how much output a request allows, and how many answers it asks for. */
export function geminiAsked(body: Json) {
  const configs = valuesOf([body], 'generationConfig', 'generation_config')
  return {
    maxOutput: largest(valuesOf(configs, 'maxOutputTokens', 'max_output_tokens')),
    choices: largest(valuesOf(configs, 'candidateCount', 'candidate_count')) ?? 1,
  }
}

const usageOf = (entry: Entry) => ({
  promptTokenCount: entry.input,
  candidatesTokenCount: entry.output - entry.reasoning,
  ...(entry.reasoning > 0 && { thoughtsTokenCount: entry.reasoning }),
  ...(entry.cached > 0 && { cachedContentTokenCount: entry.cached }),
  totalTokenCount: entry.input + entry.output,
})

export function geminiAnswer(entry: Entry, body: Json, script: Script): Answer {
  const isArray = !entry.path.includes('alt=sse')
  const { choices } = entry
  const base = { modelVersion: entry.model, responseId: 'practice' }
  const grounding = entry.searches > 0 && {
    groundingMetadata: { webSearchQueries: Array.from({ length: entry.searches }, (_, i) => `query ${i}`) },
  }
  const parts = (text: string) =>
    script.tool === true ? [{ functionCall: { name: toolIn(body), args: { city: 'Paris' } } }] : [{ text }]
  const last = (text: string, isCut: boolean) => ({
    candidates: Array.from({ length: choices }, (_, index) => ({
      content: { parts: text === '' ? [] : parts(text), role: 'model' },
      finishReason: isCut ? 'MAX_TOKENS' : 'STOP',
      index,
      ...grounding,
    })),
    usageMetadata: usageOf(entry),
    ...base,
  })
  let events = 0
  const event = (data: object) => {
    events += 1
    if (!isArray) return `data: ${JSON.stringify(data)}\r\n\r\n`
    return `${events === 1 ? '[' : ',\r\n'}${JSON.stringify(data)}`
  }
  return {
    contentType: isArray ? 'application/json; charset=UTF-8' : 'text/event-stream',
    whole: last,
    begin: () => [],
    // Until its end an answer does not say how much output it has: some models are like that.
    piece: (text) =>
      event({
        candidates: [{ content: { parts: parts(text), role: 'model' }, index: 0 }],
        usageMetadata: { promptTokenCount: entry.input, totalTokenCount: entry.input },
        ...base,
      }),
    end: (_, isCut) => [event(last('', isCut)), ...(isArray ? [']'] : [])],
  }
}

/** The name of the first function that a request declares. */
function toolIn(body: Json): string {
  const [tool] = (body['tools'] ?? []) as { functionDeclarations?: { name: string }[] }[]
  return tool?.functionDeclarations?.[0]?.name ?? 'unknown'
}

export function geminiEmbedding(entry: Entry, body: Json): object {
  const embedding = { values: [0.25, -0.5, 0.125] }
  const requests = body['requests'] as unknown[] | undefined
  const usageMetadata = { promptTokenCount: entry.input }
  return requests === undefined
    ? { embedding, usageMetadata }
    : { embeddings: requests.map(() => embedding), usageMetadata }
}

/** An error of Google. It has no 401 for a key: see `geminiStatus`. */
export const geminiError = (status: number, message: string): object => ({
  error: {
    code: geminiStatus(status),
    message,
    status: statusNames[status] ?? 'INTERNAL',
    ...(status === 401 && {
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    }),
  },
})

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
}

/** The status by which Google says what others say by another. */
export const geminiStatus = (status: number): number => (status === 401 ? 400 : status)
