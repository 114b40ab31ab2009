import type { AttributeValue } from './attribute-value.ts'

/**
 * Exporters' own formats, converted to attributes under names of ours: Langfuse's usage and costs are JSON objects in a text, and
 * LiteLLM's total is 0 where it does not know the price.
 */
export const derived = {
  input: 'derived.input_tokens',
  output: 'derived.output_tokens',
  cached: 'derived.cache_read_input_tokens',
  reasoning: 'derived.reasoning_output_tokens',
  cost: 'derived.cost_usd',
} as const

const usageDetails = 'langfuse.observation.usage_details'
const costDetails = 'langfuse.observation.cost_details'
const liteLlmCost = 'gen_ai.cost.total_cost'

export const derivedFrom: readonly string[] = [usageDetails, costDetails, liteLlmCost]

export function addDerived(found: Map<string, AttributeValue>) {
  const add = (name: string, value: number | undefined) => {
    if (value !== undefined) found.set(name, value)
  }
  const cost = found.get(liteLlmCost)
  if (typeof cost === 'number' && cost > 0) found.set(derived.cost, cost)
  const usage = numbersIn(found.get(usageDetails))
  if (usage) {
    // Langfuse's kinds of tokens do not overlap, so the total is their sum.
    add(derived.input, sumOf(usage, /input/) ?? usage.get('prompt_tokens'))
    add(derived.output, sumOf(usage, /output/) ?? usage.get('completion_tokens'))
    add(derived.cached, sumOf(usage, /input.*cache(?!.*(creation|write))|cache_read/))
    add(derived.reasoning, sumOf(usage, /output.*reasoning/))
  }
  add(derived.cost, numbersIn(found.get(costDetails))?.get('total'))
}

function sumOf(usage: ReadonlyMap<string, number>, kinds: RegExp): number | undefined {
  const counts = [...usage].filter(([kind]) => kinds.test(kind)).map(([, count]) => count)
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

const maxLength = 2_000

function numbersIn(text: AttributeValue | undefined): ReadonlyMap<string, number> | undefined {
  if (typeof text !== 'string' || text.length > maxLength) return undefined
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
  } catch {
    return undefined
  }
}
