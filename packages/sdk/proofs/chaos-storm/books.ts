import type { Schema, Weir } from '../../src/sdk.ts'
import type { Entry } from '../../test/support/provider.ts'

/** The provider's books beside Weir's. */
export interface Books {
  readonly calls: number
  readonly billedUsd: string
  readonly bookedUsd: string
  /** Answers that the caller had, whose run is not booked at what was billed. */
  readonly unlike: readonly string[]
  /** Calls that were billed more than they are booked for. */
  readonly short: readonly string[]
  /** Calls that the provider has and Weir does not. */
  readonly unknown: readonly string[]
  /** Answers that are booked as an estimate although their end had room to be kept. */
  readonly forgotten: readonly string[]
  /** Answers that are booked as an estimate, because there was no room. */
  readonly estimated: number
  readonly running: number
}

type Run = Schema<'Run'>

const nano = (usd: string): bigint => {
  const [whole = '0', fraction = ''] = usd.split('.')
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}
const usd = (amount: bigint): string => `${amount / 1_000_000_000n}.${String(amount % 1_000_000_000n).padStart(9, '0')}`
/** The list price of gpt-4o: $2.50 and $10 for a million tokens. */
const billOf = ({ input, output }: Entry): bigint => BigInt(input) * 2_500n + BigInt(output) * 10_000n

export async function booksOf(
  owner: Weir,
  entries: readonly Entry[],
  { answered, kept }: { readonly answered: readonly string[]; readonly kept: ReadonlySet<string> },
): Promise<Books> {
  const runs = new Map<string, Run>()
  for await (const run of owner.list('/v1/runs', { query: { limit: 200 } })) runs.set(run.external_id ?? run.id, run)
  const heard = new Set(answered)
  const unlike: string[] = []
  const short: string[] = []
  const unknown: string[] = []
  const forgotten: string[] = []
  let [billed, booked, estimated] = [0n, 0n, 0]
  for (const entry of entries) {
    const { user } = JSON.parse(entry.body) as { user: string }
    const run = runs.get(user)
    if (run === undefined) {
      unknown.push(user)
      continue
    }
    const [bill, cost] = [billOf(entry), nano(run.cost_usd ?? '0')]
    if (cost < bill && run.status !== 'running') short.push(`${user}: ${usd(bill)} billed, ${usd(cost)} booked`)
    if (!heard.has(user)) continue
    if (run.cost_basis === 'estimated') {
      if (kept.has(user)) forgotten.push(user)
      else estimated += 1
      continue
    }
    billed += bill
    booked += cost
    if (bill !== cost) unlike.push(`${user}: ${usd(bill)} billed, ${usd(cost)} booked`)
  }
  const running = [...runs.values()].filter(({ status }) => status === 'running').length
  const sums = { billedUsd: usd(billed), bookedUsd: usd(booked) }
  return { calls: entries.length, ...sums, unlike, short, unknown, forgotten, estimated, running }
}
