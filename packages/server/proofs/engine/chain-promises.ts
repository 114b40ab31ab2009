import { ApiError } from '../../src/contract/errors.ts'
import type { Charge, LimitRefusal } from '../../src/money/ledger/ledger.ts'
import { formatUsd } from '../../src/values/money.ts'
import { must } from './broken.ts'

/** What the runs of each chain cost and used together, by what their callers were told, whatever rows count it. */
export class ChainPromises {
  private readonly used: Map<string, { readonly usd: bigint; readonly tokens: bigint }>

  constructor(used: Iterable<[string, { usd: bigint; tokens: bigint }]> = []) {
    this.used = new Map(used)
  }

  copy(): ChainPromises {
    return new ChainPromises(this.used)
  }

  count(chainId: string | undefined, usd: bigint, tokens: bigint) {
    if (chainId === undefined) return
    const used = this.of(chainId)
    this.used.set(chainId, { usd: used.usd + usd, tokens: used.tokens + tokens })
  }

  /** A run that was let in without having happened yet. */
  admit({ chain, usd, tokens }: Charge) {
    if (!chain) return
    const { maxCostNano, maxTokens, maxDepth, depth } = chain
    const used = this.of(chain.chainId)
    must(maxDepth === null || depth <= maxDepth, 'no chain grows deeper than it may')
    must(isWithin(used.usd, usd, maxCostNano), 'all runs of a chain together cost no more than they may')
    must(isWithin(used.tokens, tokens, maxTokens), 'all runs of a chain together use no more tokens than they may')
  }

  /** What a chain refused is told with the chain's own numbers. */
  refuse({ chain, usd, tokens }: Charge, refusal: LimitRefusal) {
    if (refusal.claim.kind.kind !== 'chain') return
    must(chain !== undefined, 'only a run of a chain is refused by one')
    const error = refusal.claim.kind.refuse(refusal)
    must(error instanceof ApiError && error.code === 'chain_budget_exceeded', 'a chain refuses in its own name')
    const { reason, current, attempted, limit } = error.details as Record<string, unknown>
    const used = this.of(chain.chainId)
    const expected =
      reason === 'depth'
        ? [429, chain.depth - 1, chain.depth, chain.maxDepth]
        : reason === 'tokens'
          ? [429, Number(used.tokens), Number(tokens), Number(chain.maxTokens)]
          : [402, formatUsd(used.usd), formatUsd(usd), formatUsd(chain.maxCostNano!)]
    const told = [error.status, current, attempted, limit]
    must(JSON.stringify(told) === JSON.stringify(expected), `a chain’s ${String(reason)} is told as it stands`)
  }

  private of(chainId: string) {
    return this.used.get(chainId) ?? { usd: 0n, tokens: 0n }
  }
}

const isWithin = (used: bigint, amount: bigint, most: bigint | null) =>
  most === null || amount === 0n || used + amount <= most
