import { createHash } from 'node:crypto'
import type { ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, makerText } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { readModelDays } from '../../records/usage/usage.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { Bill } from './bill-files.ts'
import { type BillTask, runBillTask } from './bill-task.ts'
import type { BillThread } from './bill-thread.ts'
import type { BillComparison } from './comparison.ts'
import { differencesView, summaryView } from './comparison-view.ts'
import type { BookedRow } from './pairs.ts'
import {
  countForInsert,
  deleteReconciliation,
  findReconciliation,
  insertReconciliation,
  type ReconciliationRow,
} from './queries.ts'
import type { Reconciliation, ReconciliationInput, ReconciliationSummary } from './schema.ts'

const maxDays = 90
/** Rows of usage that a bill is compared with at most: ninety days of more than two hundred models. */
const maxRows = 20_000
const maxReconciliations = 200
/** Files and comparisons so small that starting a thread would take longer. */
const maxLengthInline = 10_000
const maxRowsInline = 2_000

type Row = Pick<ReconciliationRow, 'id' | 'created_at' | 'created_by' | 'summary'>

export const summaryOf = ({ id, created_at, created_by, summary }: Row) =>
  ({
    id: formatId('reconciliation', id),
    ...(summary as object),
    created_by,
    created_at: timestamp(created_at),
  }) as ReconciliationSummary

export const reconciliationView = (row: ReconciliationRow): Reconciliation => ({
  ...summaryOf(row),
  ...(row.differences as Pick<Reconciliation, 'differences' | 'unlisted'>),
})

const unreadable = (message: string) => validationFailed([{ field: 'files', code: 'invalid_format', message }])

/** A bill that has been compared, ready to be stored. */
export interface ComparedBill {
  readonly summary: object
  readonly differences: object
}

/** Reads a bill and compares it with the runs of its days. Nothing is changed by it. */
export async function compareFiles(
  platform: Platform,
  thread: BillThread,
  orgId: string,
  input: ReconciliationInput,
): Promise<ComparedBill> {
  const within = (isSmall: boolean, task: BillTask) => (isSmall ? runBillTask(task) : thread.run(orgId, task))
  const texts = input.files.map(({ text }) => text)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const read = await within(length < maxLengthInline, { step: 'read', texts })
  if (read.step !== 'read') throw unreadable(read.step === 'unreadable' ? read.message : '')
  const { bill } = read
  const asked = { ...windowOf(bill, input), tolerance: toleranceOf(input) }
  const rows = await bookedRows(platform, orgId, asked)
  const isFew = bill.days.length + rows.length < maxRowsInline
  const compared = await within(isFew, { step: 'compare', bill, rows, asked })
  if (compared.step !== 'compare') throw new TypeError('a bill was not compared')
  return viewOf(input, bill, compared.comparison, asked)
}

const toleranceOf = ({ tolerance_usd: usd = '0.01', tolerance_tokens: tokens = 0 }: ReconciliationInput) => ({
  nano: parseUsd(usd),
  tokens: BigInt(tokens),
})

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / dayMs

/** Returns the days to compare: those that were asked for, else those of the bill. */
function windowOf(bill: Bill, input: ReconciliationInput) {
  const from = input.from === undefined ? bill.from : dayOf(input.from)
  const to = input.to === undefined ? bill.to : dayOf(input.to)
  if (from < to && to - from <= maxDays) return { from, to }
  const message =
    from < to
      ? `These are ${to - from} days; at most ${maxDays} are compared at once. Send "from" and "to".`
      : 'The files have no day in this window.'
  throw validationFailed([{ field: 'to', code: 'out_of_range', message }])
}

async function bookedRows(
  platform: Platform,
  orgId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<BookedRow[]> {
  const window = { from: new Date(from * dayMs), to: new Date(to * dayMs) }
  const rows = await readModelDays(platform, orgId, window, maxRows)
  if (rows.length > maxRows) {
    const message = `There are more than ${maxRows} models and days to compare. Send a shorter time with "from" and "to".`
    throw validationFailed([{ field: 'to', code: 'too_many', message }])
  }
  return rows.map(({ day, runs, ...row }) => ({ ...row, day: day.getTime() / dayMs, runs: Number(runs) }))
}

function viewOf(
  { files, tolerance_usd: usd = '0.01', tolerance_tokens: tokens = 0 }: ReconciliationInput,
  bill: Bill,
  comparison: BillComparison,
  window: { readonly from: number; readonly to: number },
): ComparedBill {
  return {
    summary: {
      ...summaryView(bill, comparison, window),
      tolerance_usd: formatUsd(parseUsd(usd)),
      tolerance_tokens: tokens,
      files: files.map(({ name, text }, i) => ({
        name: name ?? null,
        ...bill.files[i],
        bytes: Buffer.byteLength(text),
        sha256: createHash('sha256').update(text).digest('hex'),
      })),
    },
    differences: differencesView(comparison),
  }
}

const tooMany = () =>
  new ApiError(
    'conflict',
    {},
    { message: `There are ${maxReconciliations} reconciliations already. Delete one that is no longer needed.` },
  )

/** Stores a bill that has been compared. The audit log keeps the digests of its files and what came of it, even if it is deleted. */
export async function storeReconciliation(
  { tx, audit }: ChangeTools,
  caller: Caller,
  compared: ComparedBill,
): Promise<Reconciliation> {
  const { orgId } = caller
  if ((await countForInsert(tx, orgId)) >= maxReconciliations) throw tooMany()
  const row = await insertReconciliation(tx, orgId, { id: newUuid(), created_by: makerText(caller), ...compared })
  const view = summaryOf(row)
  audit({ action: 'reconciliation.created', target: { kind: 'reconciliation', id: view.id }, after: view })
  return reconciliationView(row)
}

export async function removeReconciliation({ tx, audit, replaces }: ChangeTools, orgId: string, id: string) {
  const found = await findReconciliation(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  replaces(reconciliationView(found))
  await deleteReconciliation(tx, orgId, id)
  const before = summaryOf(found)
  audit({ action: 'reconciliation.deleted', target: { kind: 'reconciliation', id: before.id }, before })
  return null
}
