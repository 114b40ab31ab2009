import { some } from './chat-meter.ts'
import type { JsonObject, Meter, Usage, UsagePart } from './dialect.ts'
import { arrayOf, isObject, parseObject, tokensAt } from './fields.ts'

/** A reader of Anthropic's answers. Usage comes in two parts, and what the later one says replaces what the first said. */
export class MessagesMeter implements Meter {
  #usage: JsonObject | undefined
  #model: string | undefined
  #isComplete = false
  unread = 0

  event(data: string) {
    // A tool can bear any name, also that of an event: only the type of the event itself says that it is the last.
    if (!data.includes('"message_stop"') && !data.includes('"usage"')) return
    const event = parseObject(data)
    if (event === undefined) {
      this.unread += 1
      return
    }
    if (event['type'] === 'message_stop') this.#isComplete = true
    const message = event['message']
    if (isObject(message)) this.#named(message)
    this.#read(event['usage'] ?? (isObject(message) ? message['usage'] : undefined))
  }

  whole(body: unknown) {
    if (isObject(body)) {
      this.#named(body)
      this.#read(body['usage'])
    } else this.unread += 1
    this.#isComplete = true
  }

  #named({ model }: JsonObject) {
    if (typeof model === 'string') this.#model = model
  }

  answeredBy(): string | undefined {
    return this.#model
  }

  #read(usage: unknown) {
    if (!isObject(usage)) return
    const said = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined)
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) }
  }

  usage(): Usage | undefined {
    return this.#isComplete && this.#usage !== undefined ? messagesUsage(this.#usage) : undefined
  }

  inputSoFar(): Partial<Usage> | undefined {
    return this.#usage && messagesUsage(this.#usage)
  }

  isComplete(): boolean {
    return this.#isComplete
  }
}

const counts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const

/**
 * Adds up what a turn was billed. The totals leave out samplings that compacted the context and those of other models: they are in
 * `iterations`, each with its own counts.
 */
function messagesUsage(usage: JsonObject): Usage | undefined {
  if (tokensAt(usage, 'input_tokens') === undefined) return undefined
  const iterations = arrayOf(usage['iterations']).filter(isObject)
  const own = iterations.filter((one) => one['type'] !== 'advisor_message')
  const [input, output, read, written] = counts.map((field) =>
    Math.max(
      tokensAt(usage, field) ?? 0,
      own.reduce((sum, one) => sum + (tokensAt(one, field) ?? 0), 0),
    ),
  ) as [number, number, number, number]
  const creation = isObject(usage['cache_creation']) ? usage['cache_creation'] : undefined
  const forAnHour = Math.min(tokensAt(creation, 'ephemeral_1h_input_tokens') ?? 0, written)
  const details = isObject(usage['output_tokens_details']) ? usage['output_tokens_details'] : undefined
  const units = unitsOf(usage['server_tool_use'])
  const parts = partsOf(iterations.filter((one) => one['type'] === 'advisor_message'))
  return {
    input_tokens: input + read + written,
    output_tokens: output,
    ...some('cache_read_input_tokens', read),
    ...some('cache_creation_input_tokens', written),
    ...some('cache_creation_1h_input_tokens', forAnHour),
    ...some('reasoning_output_tokens', Math.min(tokensAt(details, 'thinking_tokens') ?? 0, output)),
    ...(units && { units }),
    ...(parts.length > 0 && { parts }),
    ...(usage['service_tier'] === 'batch' && { service_tier: 'batch' as const }),
  }
}

/** Fees beside tokens, by the names of the price book; a fetch has none. */
function unitsOf(used: unknown): Record<string, number> | undefined {
  const searches = isObject(used) ? (tokensAt(used, 'web_search_requests') ?? 0) : 0
  return searches > 0 ? { web_search: searches } : undefined
}

function partsOf(iterations: readonly JsonObject[]): UsagePart[] {
  const byModel = Map.groupBy(iterations, (one) => (typeof one['model'] === 'string' ? one['model'] : 'unknown'))
  return [...byModel].map(([model, list]) => {
    const sum = (...fields: (typeof counts)[number][]) =>
      list.reduce((total, one) => total + fields.reduce((inner, field) => inner + (tokensAt(one, field) ?? 0), 0), 0)
    return {
      model,
      usage: {
        input_tokens: sum('input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
        output_tokens: sum('output_tokens'),
      },
    }
  })
}
