import type { JsonObject, Meter, Usage } from './dialect.ts'
import { isObject, parseObject, tokensAt } from './fields.ts'

/** A reader of answers with `usage.prompt_tokens`: chats, completions and embeddings. */
export class ChatMeter implements Meter {
  #usage: JsonObject | undefined
  #tier: unknown
  #model: string | undefined
  #isComplete = false
  unread = 0
  private readonly searches: number

  constructor(searches = 0) {
    this.searches = searches
  }

  event(data: string) {
    if (data === '[DONE]') {
      this.#isComplete = true
      return
    }
    if (!data.includes('"usage"') && !data.includes('"service_tier"')) return
    const event = parseObject(data)
    if (event === undefined) {
      this.unread += 1
      return
    }
    this.#read(event)
  }

  whole(body: unknown) {
    if (isObject(body)) this.#read(body)
    else this.unread += 1
    this.#isComplete = true
  }

  #read(event: JsonObject) {
    const groq = event['x_groq']
    const usage = event['usage'] ?? (isObject(groq) ? groq['usage'] : undefined)
    if (isObject(usage)) {
      this.#usage = usage
      this.#model = typeof event['model'] === 'string' ? event['model'] : undefined
    }
    if (typeof event['service_tier'] === 'string') this.#tier = event['service_tier']
  }

  usage(): Usage | undefined {
    const usage = this.#usage && chatUsage(this.#usage, this.#tier)
    return usage && this.searches > 0 ? { ...usage, units: { web_search: this.searches } } : usage
  }

  answeredBy(): string | undefined {
    return this.#model
  }

  inputSoFar(): Partial<Usage> | undefined {
    const usage = this.usage()
    return usage && { ...usage }
  }

  isComplete(): boolean {
    return this.#isComplete
  }
}

function chatUsage(usage: JsonObject, tier: unknown): Usage | undefined {
  const input = tokensAt(usage, 'prompt_tokens')
  if (input === undefined) return undefined
  const total = tokensAt(usage, 'total_tokens') ?? 0
  // Some leave reasoning out of the completion and put it into the total only.
  const output = Math.max(tokensAt(usage, 'completion_tokens') ?? 0, total - input)
  const inputDetails = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : undefined
  const outputDetails = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : undefined
  const cached =
    tokensAt(inputDetails, 'cached_tokens') ??
    tokensAt(usage, 'prompt_cache_hit_tokens') ??
    tokensAt(usage, 'cached_tokens') ??
    0
  return {
    input_tokens: input,
    output_tokens: output,
    ...some('cache_read_input_tokens', Math.min(cached, input)),
    ...some('reasoning_output_tokens', Math.min(tokensAt(outputDetails, 'reasoning_tokens') ?? 0, output)),
    ...some('audio_input_tokens', Math.min(tokensAt(inputDetails, 'audio_tokens') ?? 0, input)),
    ...some('audio_output_tokens', Math.min(tokensAt(outputDetails, 'audio_tokens') ?? 0, output)),
    ...tierOf(tier),
  }
}

/** A field that is left out where it would say that there was nothing. */
export const some = <K extends keyof Usage>(field: K, count: number): Partial<Record<K, number>> =>
  count > 0 ? ({ [field]: count } as Partial<Record<K, number>>) : {}

/** The tier that served a call, where it is one that has a price of its own. */
export const tierOf = (tier: unknown): Pick<Usage, 'service_tier'> =>
  tier === 'flex' || tier === 'priority'
    ? { service_tier: tier }
    : tier === 'default' || tier === 'standard'
      ? { service_tier: 'standard' }
      : {}
