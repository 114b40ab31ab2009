import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { elementAt, lastOf } from '../../values/present.ts'
import { decodeAmounts } from './allowances.ts'
import {
  type BatchRow,
  checkedUpTo,
  ledgersToCheck,
  readBatch,
  readBatches,
  readCounters,
  readMovements,
  readOpenHolds,
  storeCheckedUpTo,
} from './journal-queries.ts'

/** Bounds of a page, whose transaction is open while it is checked. */
const perPage = { mostBatches: 500, mostMovements: 20_000 }
const orgsPerPage = 1_000

interface Counters {
  readonly spent: bigint
  readonly held: bigint
}

/** A discrepancy: something in the ledger that does not follow from the rest of it. */
export interface LedgerFault {
  readonly orgId: string
  readonly batch: bigint | null
  readonly key: string
  readonly what: string
  readonly driftNano: bigint
}

/** A further check of an organization: of everything, or of what was booked after a batch. */
export type FurtherCheck = (
  orgId: string,
  scope: { readonly after: bigint; readonly isComplete: boolean },
) => Promise<readonly LedgerFault[]>

const noFurtherCheck: FurtherCheck = async () => []

export interface LedgerVerification {
  readonly orgs: number
  readonly batches: number
  readonly allowances: number
  readonly driftNano: bigint
  readonly faults: readonly LedgerFault[]
}

/**
 * Checks the ledgers of organizations, one after the other, in short transactions: from the oldest batch that is stored, or what
 * has been booked since the last check.
 */
export async function verifyLedgers(
  sql: Sql,
  { isComplete = true, further = noFurtherCheck }: { isComplete?: boolean; further?: FurtherCheck } = {},
): Promise<LedgerVerification> {
  const faults: LedgerFault[] = []
  let [orgs, batches, allowances] = [0, 0, 0]
  let after = operatorsOrgId
  for (;;) {
    const page = await ledgersToCheck(sql, after, orgsPerPage, isComplete)
    for (const orgId of page) {
      const checked = await new LedgerCheck(sql, orgId, isComplete, further).run()
      orgs++
      batches += checked.batches
      allowances += checked.allowances
      faults.push(...checked.faults)
    }
    if (page.length < orgsPerPage) break
    after = lastOf(page)
  }
  return { orgs, batches, allowances, faults, driftNano: faults.reduce((sum, { driftNano }) => sum + driftNano, 0n) }
}

/** Checks one organization from the oldest batch that is stored. */
export const verifyLedger = (sql: Sql, orgId: string) => new LedgerCheck(sql, orgId, true).run()

/**
 * The check of one organization: batches follow each other without a gap, each leaves the balances of the last one on the same
 * key plus its own movements, rows equal what their last batches left, and held is the sum of the open holds. The journal is
 * walked in pages; rows are read in one snapshot with its end, so a busy ledger is checked as exactly as a quiet one.
 */
class LedgerCheck {
  private readonly sql: Sql
  private readonly orgId: string
  private readonly isComplete: boolean
  private readonly further: FurtherCheck
  private readonly balances = new Map<string, Counters & { readonly seq: bigint }>()
  private readonly faults: LedgerFault[] = []
  private seq = 0n
  private first: bigint | undefined
  private batches = 0

  constructor(sql: Sql, orgId: string, isComplete: boolean, further = noFurtherCheck) {
    this.further = further
    this.sql = sql
    this.orgId = orgId
    this.isComplete = isComplete
  }

  async run() {
    const { sql, orgId } = this
    const asOrg = <T>(work: (tx: Tx) => Promise<T>) => sql.asOrgs([orgId], work)
    if (!this.isComplete) this.seq = await asOrg((tx) => checkedUpTo(tx, orgId))
    const after = this.seq
    while (await asOrg((tx) => this.walk(tx)));
    const allowances = await sql.asOrgs(
      [orgId],
      async (tx) => {
        while (await this.walk(tx));
        return this.compareRows(tx)
      },
      { isSnapshot: true },
    )
    this.faults.push(...(await this.further(orgId, { after, isComplete: this.isComplete })))
    if (this.faults.length === 0 && this.batches > 0) await asOrg((tx) => storeCheckedUpTo(tx, orgId, this.seq))
    return { batches: this.batches, allowances, faults: this.faults }
  }

  /** Checks a page of batches; returns whether there may be more. */
  private async walk(tx: Tx): Promise<boolean> {
    const { rows: page, isMore } = await readBatches(tx, this.orgId, { after: this.seq, ...perPage })
    const last = page.at(-1)
    if (!last) return false
    const movements = Map.groupBy(await readMovements(tx, this.orgId, this.seq, last.seq), ({ seq }) => seq)
    for (const batch of page) await this.follow(tx, batch, sumMovements(movements.get(batch.seq) ?? []))
    return isMore
  }

  private async follow(tx: Tx, batch: BatchRow, deltas: ReadonlyMap<string, Counters>) {
    // Old days are dropped as a whole, so the oldest stored batch need not be the first that ever was.
    const isOldest = this.first === undefined && this.seq === 0n
    this.first ??= batch.seq
    if (!isOldest && batch.seq !== this.seq + 1n) this.fault(batch.seq, '', `batch ${this.seq + 1n} is missing`, 1n)
    for (const [i, key] of batch.keys.entries()) {
      const before = await this.before(tx, batch, key, BigInt(elementAt(batch.prev_seq, i)))
      const after = { spent: BigInt(elementAt(batch.spent_after, i)), held: BigInt(elementAt(batch.held_after, i)) }
      const delta = deltas.get(key) ?? { spent: 0n, held: 0n }
      if (before) {
        this.compare(batch.seq, key, 'spent', before.spent + delta.spent, after.spent)
        this.compare(batch.seq, key, 'held', before.held + delta.held, after.held)
      }
      this.balances.set(key, { ...after, seq: batch.seq })
    }
    for (const key of deltas.keys())
      if (!batch.keys.includes(key)) this.fault(batch.seq, key, 'a movement is not in its batch', 1n)
    this.seq = batch.seq
    this.batches++
  }

  /** Returns the balance of a key before a batch; undefined where that lies in days that were dropped. */
  private async before(tx: Tx, batch: BatchRow, key: string, prevSeq: bigint): Promise<Counters | undefined> {
    const known = this.balances.get(key)
    if (known && known.seq !== prevSeq)
      this.fault(batch.seq, key, `it follows batch ${prevSeq}, but batch ${known.seq} was its last`, 1n)
    if (known) return known
    if (prevSeq === 0n) return { spent: 0n, held: 0n }
    const earlier = await readBatch(tx, this.orgId, prevSeq)
    const place = earlier?.keys.indexOf(key) ?? -1
    if (earlier && place >= 0)
      return {
        spent: BigInt(elementAt(earlier.spent_after, place)),
        held: BigInt(elementAt(earlier.held_after, place)),
      }
    if (prevSeq >= this.first!) this.fault(batch.seq, key, `it follows batch ${prevSeq}, which does not have it`, 1n)
    return undefined
  }

  private async compareRows(tx: Tx) {
    const { orgId, balances } = this
    const held = new Map((await readOpenHolds(tx, orgId)).map((row) => [row.key, row.held]))
    const rows = await readCounters(tx, orgId, this.isComplete ? undefined : [...balances.keys()])
    for (const row of rows) {
      const balance = balances.get(row.key)
      if (balance) {
        this.compare(null, row.key, 'the row: spent', balance.spent, row.spent)
        this.compare(null, row.key, 'the row: held', balance.held, row.held)
      } else if (this.first === undefined || this.first === 1n)
        this.fault(null, row.key, 'a row that no batch has written', row.spent + row.held)
      this.compare(null, row.key, 'open holds: held', held.get(row.key) ?? 0n, row.held)
    }
    const found = new Set(rows.map(({ key }) => key))
    for (const [key, { spent, held: still }] of balances)
      if (!found.has(key)) this.fault(null, key, 'the row is missing', spent + still + 1n)
    return rows.length
  }

  private compare(batch: bigint | null, key: string, name: string, expected: bigint, found: bigint) {
    if (expected !== found)
      this.fault(batch, key, `${name} is ${found}, the journal says ${expected}`, found - expected)
  }

  private fault(batch: bigint | null, key: string, what: string, drift: bigint) {
    this.faults.push({ orgId: this.orgId, batch, key, what, driftNano: drift < 0n ? -drift : drift })
  }
}

function sumMovements(
  movements: readonly { keys: string[]; d_spent: string[]; d_held: string[] }[],
): Map<string, Counters> {
  const sums = new Map<string, Counters>()
  for (const { keys, d_spent, d_held } of movements) {
    const [spent, held] = [decodeAmounts(d_spent, keys), decodeAmounts(d_held, keys)]
    for (const [i, key] of keys.entries()) {
      const sum = sums.get(key) ?? { spent: 0n, held: 0n }
      sums.set(key, { spent: sum.spent + elementAt(spent, i), held: sum.held + elementAt(held, i) })
    }
  }
  return sums
}
