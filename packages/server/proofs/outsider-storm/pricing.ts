import { parseUsd } from '../../src/values/money.ts'
import type { Ending } from './journal.ts'

/** Prices of the storm's models, in nano-dollars a token of output; input is free. */
export const outputNano: Readonly<Record<string, bigint>> = { storm: 1_000n, 'storm-dear': 3_000n }

export const priceInput = {
  prices: Object.entries(outputNano).map(([model, nano]) => ({
    model,
    input_usd_per_million: '0',
    output_usd_per_million: String(nano / 1_000n),
    max_output_tokens: 1,
  })),
  min_hold_usd: '0.0001',
}

/** The cost of a call by an arithmetic of the storm's own. */
export function costNano(ending: Ending, heldModel: string): bigint {
  if (ending.cost_usd !== undefined) return parseUsd(ending.cost_usd)
  return BigInt(ending.output_tokens ?? 0) * outputNano[ending.model ?? heldModel]!
}
