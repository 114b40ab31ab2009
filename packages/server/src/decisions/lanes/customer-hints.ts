import type { CustomerFacts } from '../../money/ledger/ledger.ts'
import type { OrgSnapshot } from './snapshot.ts'

/** Limits and packs of customers as last read: only a guess at which rows to read, never the basis of a decision. */
export interface CustomerHints {
  readonly get: (orgId: string) => ReadonlyMap<string, CustomerFacts>
  readonly learn: (orgId: string, reading: OrgSnapshot) => void
}
