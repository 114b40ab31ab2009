import { countAt, isObject, type JsonObject } from './objects.ts'
import type { RunParameters } from './weir.ts'

/** A request to a provider, as far as it decides what is reserved for it. */
export interface Asked {
  readonly parameters: RunParameters
  /** The body to send: streamed chats are asked to say what they used. */
  readonly body: string
  /** True where the last event of a stream is there only because we asked for it. */
  readonly isUsageOurs: boolean
}

/** Requests that cost nothing, by the end of their path; all that only read or remove cost nothing too. */
const freePaths =
  /\/(moderations|files|uploads(\/[^/]+\/(parts|complete|cancel))?|messages\/count_tokens|responses\/input_tokens|responses\/[^/]+\/cancel|conversations(\/.*)?)$|:countTokens$/

export const isFree = (method: string, path: string): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'DELETE' || method === 'OPTIONS' || freePaths.test(path)

const outputFields: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\/chat\/completions$/, ['max_completion_tokens', 'max_tokens']],
  [/\/completions$/, ['max_tokens']],
  [/\/responses$/, ['max_output_tokens']],
  [/\/messages$/, ['max_tokens']],
  [/\/embeddings$/, []],
]
const geminiPath = /\/models\/([^/:]+):(generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/

/** A third of the bytes is a safe guess for most text: what was too much is released. */
export const estimate = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / 3)

/** Reads what a request can cost; undefined for one that no hold can be made for. */
export function askedOf(path: string, text: string): Asked | undefined {
  const body = parsed(text)
  if (body === undefined) return undefined
  const gemini = geminiPath.exec(path)
  if (gemini) return geminiAsked(gemini, body, text)
  const fields = outputFields.find(([pattern]) => pattern.test(path))?.[1]
  const model = body['model']
  if (fields === undefined || typeof model !== 'string') return undefined
  const bounds = fields.map((field) => countAt(body, field)).filter((bound) => bound !== undefined)
  const most = path.endsWith('/embeddings') ? 0 : bounds.length > 0 ? Math.min(...bounds) : undefined
  const isUsageOurs = path.endsWith('completions') && body['stream'] === true && !wantsUsage(body)
  const options = isObject(body['stream_options']) ? body['stream_options'] : {}
  return {
    parameters: {
      model,
      input_tokens: estimate(text),
      ...bounded(most, Math.max(countAt(body, 'n') ?? 1, countAt(body, 'best_of') ?? 1)),
      ...tierOf(body['service_tier']),
    },
    body: isUsageOurs ? JSON.stringify({ ...body, stream_options: { ...options, include_usage: true } }) : text,
    isUsageOurs,
  }
}

function geminiAsked([, model = '', operation = '']: RegExpExecArray, body: JsonObject, text: string): Asked {
  const config = isObject(body['generationConfig']) ? body['generationConfig'] : {}
  const most = operation.toLowerCase().includes('embed') ? 0 : countAt(config, 'maxOutputTokens')
  const parameters = {
    model: decodeURIComponent(model),
    input_tokens: estimate(text),
    ...bounded(most, countAt(config, 'candidateCount') ?? 1),
  }
  return { parameters, body: text, isUsageOurs: false }
}

const wantsUsage = (body: JsonObject): boolean =>
  isObject(body['stream_options']) && body['stream_options']['include_usage'] === true

const bounded = (most: number | undefined, answers: number): Pick<RunParameters, 'max_output_tokens'> =>
  most === undefined ? {} : { max_output_tokens: most * answers }

const tierOf = (tier: unknown): Pick<RunParameters, 'service_tier'> =>
  tier === 'flex' || tier === 'priority' ? { service_tier: tier } : {}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
