import { some, tierOf } from './chat-meter.ts'
import type { JsonObject, Meter, Usage } from './dialect.ts'
import { arrayOf, isObject, parseObject, tokensAt } from './fields.ts'

const endings: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Events that are read; all others are text on its way. */
const read = [...endings, 'response.created', 'response.output_item.done'].map((type) => `"${type}"`)

/** Calls of tools that have a fee, by the type of the item that reports them. */
const fees: Readonly<Record<string, string>> = { web_search_call: 'web_search', file_search_call: 'storage_search' }

/** A reader of OpenAI's responses: everything is in the event that ends them. */
export class ResponsesMeter implements Meter {
  #response: JsonObject | undefined
  #ids: string[] = []
  unread = 0

  event(data: string) {
    if (!read.some((type) => data.includes(type))) return
    const event = parseObject(data)
    if (event === undefined) this.unread += 1
    else if (typeof event['type'] === 'string' && endings.has(event['type'])) this.whole(event['response'])
    else if (event['type'] === 'response.created') this.#see(event['response'])
    else if (event['type'] === 'response.output_item.done') this.#see(event['item'])
  }

  whole(body: unknown) {
    if (!isObject(body)) {
      this.unread += 1
      return
    }
    this.#response = body
    this.#see(body)
    for (const item of arrayOf(body['output'])) this.#see(item)
  }

  newIds(): readonly string[] {
    if (this.#ids.length === 0) return this.#ids
    const ids = this.#ids
    this.#ids = []
    return ids
  }

  #see(kept: unknown) {
    if (isObject(kept) && typeof kept['id'] === 'string') this.#ids.push(kept['id'])
  }

  usage(): Usage | undefined {
    const usage = this.#response?.['usage']
    if (!isObject(usage)) return undefined
    const input = tokensAt(usage, 'input_tokens')
    const output = tokensAt(usage, 'output_tokens')
    if (input === undefined || output === undefined) return undefined
    const inputDetails = isObject(usage['input_tokens_details']) ? usage['input_tokens_details'] : undefined
    const outputDetails = isObject(usage['output_tokens_details']) ? usage['output_tokens_details'] : undefined
    const units = feesIn(this.#response)
    return {
      input_tokens: input,
      output_tokens: output,
      ...some('cache_read_input_tokens', Math.min(tokensAt(inputDetails, 'cached_tokens') ?? 0, input)),
      ...some('reasoning_output_tokens', Math.min(tokensAt(outputDetails, 'reasoning_tokens') ?? 0, output)),
      ...(Object.keys(units).length > 0 && { units }),
      ...tierOf(this.#response?.['service_tier']),
    }
  }

  answeredBy(): string | undefined {
    const model = this.#response?.['model']
    return typeof model === 'string' ? model : undefined
  }

  inputSoFar(): Partial<Usage> | undefined {
    return undefined
  }

  isComplete(): boolean {
    return this.#response !== undefined
  }
}

function feesIn(response: JsonObject | undefined): Record<string, number> {
  const units: Record<string, number> = {}
  for (const item of arrayOf(response?.['output'])) {
    const unit = isObject(item) && typeof item['type'] === 'string' ? fees[item['type']] : undefined
    // Only a search is billed; opening a page that was found is not.
    const action = isObject(item) ? item['action'] : undefined
    if (unit === undefined || (isObject(action) && action['type'] !== undefined && action['type'] !== 'search'))
      continue
    units[unit] = (units[unit] ?? 0) + 1
  }
  return units
}
