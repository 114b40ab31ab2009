import type { Schema } from './api.ts'
import { arrayOf, countAt, isObject, type JsonObject } from './objects.ts'

/** Usage of a call in the words of the API: input with what was cached, output with reasoning. */
export type Usage = Pick<
  Schema<'FinishInput'>,
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_input_tokens'
  | 'cache_creation_input_tokens'
  | 'cache_creation_1h_input_tokens'
  | 'reasoning_output_tokens'
  | 'audio_input_tokens'
  | 'image_input_tokens'
  | 'video_input_tokens'
  | 'cache_read_audio_input_tokens'
  | 'cache_read_image_input_tokens'
  | 'audio_output_tokens'
  | 'image_output_tokens'
  | 'video_output_tokens'
  | 'units'
  | 'parts'
  | 'service_tier'
>

type Count = { [Field in keyof Usage]-?: NonNullable<Usage[Field]> extends number ? Field : never }[keyof Usage]

/** A field that is left out where it would say that there was nothing. */
const some = (field: Count, count: number): Usage => (count > 0 ? { [field]: count } : {})

const least = (most: number, count: number | undefined): number => Math.min(count ?? 0, most)

/**
 * Reads what a provider says that a call used: its `usage` object as it is, or the whole answer that has it. Knows the shapes of OpenAI's chats
 * and responses, of Anthropic's messages and of Gemini; undefined for anything else.
 */
export function usageOf(said: unknown): Usage | undefined {
  if (!isObject(said)) return undefined
  if (isObject(said['usageMetadata'])) return withGeminiSearches(geminiUsage(said['usageMetadata']), said)
  if (isObject(said['usage'])) {
    const usage = usageOf(said['usage'])
    return usage && { ...usage, ...tierOf(said['service_tier']), ...searchesIn(said, usage) }
  }
  if (countAt(said, 'prompt_tokens') !== undefined) return chatUsage(said)
  if (countAt(said, 'promptTokenCount') !== undefined) return geminiUsage(said)
  if (countAt(said, 'input_tokens') === undefined) return undefined
  // Responses count what was cached within the input, messages beside it.
  return countAt(said, 'total_tokens') === undefined && !isObject(said['input_tokens_details'])
    ? messagesUsage(said)
    : responsesUsage(said)
}

function chatUsage(said: JsonObject): Usage {
  const input = countAt(said, 'prompt_tokens') ?? 0
  // Some leave reasoning out of the completion and put it into the total only.
  const output = Math.max(countAt(said, 'completion_tokens') ?? 0, (countAt(said, 'total_tokens') ?? 0) - input)
  const given = said['prompt_tokens_details']
  const made = said['completion_tokens_details']
  const cached = countAt(given, 'cached_tokens') ?? countAt(said, 'prompt_cache_hit_tokens')
  return {
    input_tokens: input,
    output_tokens: output,
    ...some('cache_read_input_tokens', least(input, cached)),
    ...some('reasoning_output_tokens', least(output, countAt(made, 'reasoning_tokens'))),
    ...some('audio_input_tokens', least(input, countAt(given, 'audio_tokens'))),
    ...some('audio_output_tokens', least(output, countAt(made, 'audio_tokens'))),
  }
}

function responsesUsage(said: JsonObject): Usage {
  const input = countAt(said, 'input_tokens') ?? 0
  const output = countAt(said, 'output_tokens') ?? 0
  return {
    input_tokens: input,
    output_tokens: output,
    ...some('cache_read_input_tokens', least(input, countAt(said['input_tokens_details'], 'cached_tokens'))),
    ...some('reasoning_output_tokens', least(output, countAt(said['output_tokens_details'], 'reasoning_tokens'))),
  }
}

const messageCounts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']

/** Adds up what a turn was billed. Its totals leave out samplings that compacted the context and those of other models: `iterations` has them. */
function messagesUsage(said: JsonObject): Usage {
  const iterations = arrayOf(said['iterations']).filter(isObject)
  const own = iterations.filter((one) => one['type'] !== 'advisor_message')
  const [input = 0, output = 0, read = 0, written = 0] = messageCounts.map((field) =>
    Math.max(countAt(said, field) ?? 0, sumOf(own, field)),
  )
  const searches = countAt(said['server_tool_use'], 'web_search_requests') ?? 0
  const parts = advisorsIn(iterations.filter((one) => one['type'] === 'advisor_message'))
  return {
    input_tokens: input + read + written,
    output_tokens: output,
    ...some('cache_read_input_tokens', read),
    ...some('cache_creation_input_tokens', written),
    ...some(
      'cache_creation_1h_input_tokens',
      least(written, countAt(said['cache_creation'], 'ephemeral_1h_input_tokens')),
    ),
    ...some('reasoning_output_tokens', least(output, countAt(said['output_tokens_details'], 'thinking_tokens'))),
    ...(searches > 0 && { units: { web_search: searches } }),
    ...(parts.length > 0 && { parts }),
    ...(said['service_tier'] === 'batch' && { service_tier: 'batch' as const }),
  }
}

const sumOf = (list: readonly JsonObject[], field: string): number =>
  list.reduce((sum, one) => sum + (countAt(one, field) ?? 0), 0)

function advisorsIn(list: readonly JsonObject[]): NonNullable<Usage['parts']> {
  const models = [...new Set(list.map(({ model }) => (typeof model === 'string' ? model : 'unknown')))]
  return models.map((model) => {
    const its = list.filter((one) => (typeof one['model'] === 'string' ? one['model'] : 'unknown') === model)
    const [input = 0, output = 0, read = 0, written = 0] = messageCounts.map((field) => sumOf(its, field))
    return { model, usage: { input_tokens: input + read + written, output_tokens: output } }
  })
}

function geminiUsage(said: JsonObject): Usage | undefined {
  const prompt = countAt(said, 'promptTokenCount')
  if (prompt === undefined) return undefined
  const input = prompt + (countAt(said, 'toolUsePromptTokenCount') ?? 0)
  const thoughts = countAt(said, 'thoughtsTokenCount') ?? 0
  const output = Math.max(
    (countAt(said, 'candidatesTokenCount') ?? 0) + thoughts,
    (countAt(said, 'totalTokenCount') ?? 0) - input,
  )
  const cached = least(prompt, countAt(said, 'cachedContentTokenCount'))
  const given = (kind: string) => mediaIn(said, kind, 'promptTokensDetails', 'toolUsePromptTokensDetails')
  // Media within the plain input: their own rates are not for what was read from a cache.
  const room = input - cached
  const audio = Math.min(given('AUDIO'), room)
  const image = Math.min(given('IMAGE'), room - audio)
  const audioOut = Math.min(mediaIn(said, 'AUDIO', 'candidatesTokensDetails'), output)
  const imageOut = Math.min(mediaIn(said, 'IMAGE', 'candidatesTokensDetails'), output - audioOut)
  return {
    input_tokens: input,
    output_tokens: output,
    ...some('cache_read_input_tokens', cached),
    ...some('reasoning_output_tokens', thoughts),
    ...some('audio_input_tokens', audio),
    ...some('image_input_tokens', image),
    ...some('video_input_tokens', Math.min(given('VIDEO'), room - audio - image)),
    ...some('audio_output_tokens', audioOut),
    ...some('image_output_tokens', imageOut),
  }
}

const mediaIn = (said: JsonObject, kind: string, ...fields: string[]): number =>
  fields
    .flatMap((field) => arrayOf(said[field]))
    .filter((one) => isObject(one) && one['modality'] === kind)
    .reduce<number>((sum, one) => sum + (countAt(one, 'tokenCount') ?? 0), 0)

/** Searches that Gemini has grounded an answer on: each query has a fee, or in models before Gemini 3 each prompt. */
function withGeminiSearches(usage: Usage | undefined, answer: JsonObject): Usage | undefined {
  const groundings = arrayOf(answer['candidates'])
    .map((one) => (isObject(one) ? one['groundingMetadata'] : undefined))
    .filter((one) => isObject(one) && Object.keys(one).length > 0)
  if (usage === undefined || groundings.length === 0) return usage
  const queries = new Set(groundings.flatMap((one) => arrayOf(isObject(one) ? one['webSearchQueries'] : undefined)))
  const { modelVersion } = answer
  const isOlder = typeof modelVersion === 'string' && /^gemini-[12]\b/.test(modelVersion)
  return { ...usage, units: { web_search: isOlder ? 1 : Math.max(1, queries.size) } }
}

const fees: Readonly<Record<string, string>> = { web_search_call: 'web_search', file_search_call: 'storage_search' }

/** Tools with a fee that an answer of the Responses API has called; opening a page that was found is none. */
function searchesIn(answer: JsonObject, usage: Usage): Usage {
  const units: Record<string, number> = { ...usage.units }
  for (const item of arrayOf(answer['output']).filter(isObject)) {
    const unit = fees[String(item['type'])]
    const action = isObject(item['action']) ? item['action']['type'] : undefined
    if (unit !== undefined && (action === undefined || action === 'search')) units[unit] = (units[unit] ?? 0) + 1
  }
  return Object.keys(units).length > 0 ? { units } : {}
}

/** The tier that served a call, where it is one that has a price of its own. */
const tierOf = (tier: unknown): Usage =>
  tier === 'flex' || tier === 'priority'
    ? { service_tier: tier }
    : tier === 'default' || tier === 'standard'
      ? { service_tier: 'standard' }
      : {}

/** Adds what several calls of one run used. */
export function sumOfUsage(a: Usage, b: Usage): Usage {
  const sum: Record<string, unknown> = { ...a, ...b }
  for (const field of Object.keys(sum)) {
    const [one, other] = [countAt(a, field), countAt(b, field)]
    if (one !== undefined && other !== undefined) sum[field] = one + other
  }
  if (a.units && b.units)
    sum['units'] = Object.fromEntries(
      [...new Set([...Object.keys(a.units), ...Object.keys(b.units)])].map((unit) => [
        unit,
        (countAt(a.units, unit) ?? 0) + (countAt(b.units, unit) ?? 0),
      ]),
    )
  if (a.parts && b.parts) sum['parts'] = [...a.parts, ...b.parts]
  return sum
}
