import { costOf, type PriceBook } from '../../../money/prices/prices.ts'
import type { ModelUsageRow } from '../queries.ts'
import type { ModelUsage, ScenarioBasis } from './scenarios.ts'

const perUsd = 1e9

/** Sums up the usage of models by name: a name that several providers serve is one model, priced at each. */
export function modelUsage(
  rows: readonly ModelUsageRow[],
  book: PriceBook,
  targets: readonly string[],
  nowMs: number,
): Pick<ScenarioBasis, 'cost' | 'runs' | 'tokens' | 'models'> {
  const byModel = Map.groupBy(rows, ({ model }) => model)
  const sum = (valueOf: (row: ModelUsageRow) => string) => rows.reduce((all, row) => all + Number(valueOf(row)), 0)
  return {
    cost: sum(({ cost_nano }) => cost_nano) / perUsd,
    runs: sum(({ runs }) => runs),
    tokens: sum(({ input_tokens }) => input_tokens) + sum(({ output_tokens }) => output_tokens),
    models: Array.from(byModel, ([model, own]) => usageOfModel(model, own, book, targets, nowMs)),
  }
}

function usageOfModel(
  model: string,
  rows: readonly ModelUsageRow[],
  book: PriceBook,
  targets: readonly string[],
  nowMs: number,
): ModelUsage {
  const sum = (valueOf: (row: ModelUsageRow) => number) => rows.reduce((all, row) => all + valueOf(row), 0)
  /** Returns the cost by the price book; null when a provider has no price. */
  const priced = (name: string, isOwn: boolean, part: 'input' | 'output' | 'all') => {
    let all = 0
    for (const row of rows) {
      const price = book.priceOf(name, isOwn ? row.provider || undefined : undefined, nowMs)
      if (!price) return null
      all += Number(costOf(price, tokensOf(row, part))) / perUsd
    }
    return all
  }
  return {
    model,
    cost: sum(({ cost_nano }) => Number(cost_nano)) / perUsd,
    inputCost: priced(model, true, 'input'),
    outputCost: priced(model, true, 'output'),
    inputTokens: sum(({ input_tokens }) => Number(input_tokens)),
    outputTokens: sum(({ output_tokens }) => Number(output_tokens)),
    costOn: Object.fromEntries(targets.map((target) => [target, priced(target, false, 'all')])),
  }
}

/** A correction can leave counts negative. */
const count = (text: string) => Math.max(0, Math.min(Number(text), Number.MAX_SAFE_INTEGER))

const tokensOf = (row: ModelUsageRow, part: 'input' | 'output' | 'all') => ({
  inputTokens: part === 'output' ? 0 : count(row.input_tokens),
  outputTokens: part === 'input' ? 0 : count(row.output_tokens),
  cacheReadTokens: part === 'output' ? 0 : count(row.cache_read_input_tokens),
  cacheWriteTokens: part === 'output' ? 0 : count(row.cache_creation_input_tokens),
})
