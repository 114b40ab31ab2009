import { formatUsd, parseUsd } from '../../values/money.ts'
import { isoOf } from '../../values/time.ts'
import type { Schemas } from '../api/api.ts'
import type { Visit } from '../frame/frame.ts'
import type { Month } from './showback-view.ts'

/** A correction of what a limit shows as spent, or credits that a customer was given: neither is part of what runs cost. */
export interface Correction {
  readonly kind: 'adjustment' | 'credit'
  readonly at: string
  readonly about: string
  readonly usd: string
  readonly why: string
}

export interface Corrections {
  readonly list: readonly Correction[]
  /** False where there are more than one page of the API has. */
  readonly isWhole: boolean
}

const mostRows = 200

/** Returns the dollars of an adjustment; those of plans are in runs or tokens. */
const usdOf = ({ changes }: Schemas['JournalEntry']): string =>
  formatUsd(changes.reduce((sum, { unit, spent }) => (unit === 'usd' ? sum + parseUsd(String(spent)) : sum), 0n))

/** Reads the adjustments of a month and the credits that were given in it. */
export async function readCorrections({ api }: Visit, { startMs, endMs }: Month): Promise<Corrections> {
  const [adjustments, packs] = await Promise.all([
    api.get('/v1/orgs/{id}/ledger/adjustments', {
      query: { from: isoOf(startMs), to: isoOf(endMs), limit: mostRows },
    }),
    api.get('/v1/orgs/{id}/credit-packs', { query: { limit: mostRows } }),
  ])
  const isInside = (at: string) => Date.parse(at) >= startMs && Date.parse(at) < endMs
  const given = packs.data.filter(({ created_at: at }) => isInside(at))
  const oldest = packs.data.at(-1)?.created_at
  return {
    list: [
      ...adjustments.data.map(
        (entry): Correction => ({
          kind: 'adjustment',
          at: entry.created_at,
          about: entry.changes.map(({ kind, subject }) => [kind, subject].filter(Boolean).join(' ')).join(', '),
          usd: usdOf(entry),
          why: entry.reason ?? '',
        }),
      ),
      ...given.map(
        (pack): Correction => ({
          kind: 'credit',
          at: pack.created_at,
          about: `customer ${pack.customer_id}`,
          usd: pack.amount_usd,
          why: pack.name ?? '',
        }),
      ),
    ],
    isWhole:
      adjustments.next_cursor === null &&
      (packs.next_cursor === null || (oldest !== undefined && Date.parse(oldest) < startMs)),
  }
}
