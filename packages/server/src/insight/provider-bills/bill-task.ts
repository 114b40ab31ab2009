import { type Bill, readBill } from './bill-files.ts'
import { UnreadableBill } from './bill-lines.ts'
import { type BillComparison, compareBill } from './comparison.ts'
import type { BookedRow, Tolerance } from './pairs.ts'

/** A bill to be read, and then to be compared, as a thread takes it. */
export type BillTask =
  | { readonly step: 'read'; readonly texts: readonly string[] }
  | {
      readonly step: 'compare'
      readonly bill: Bill
      readonly rows: readonly BookedRow[]
      readonly asked: { readonly from: number; readonly to: number; readonly tolerance: Tolerance }
    }

export type BillResult =
  | { readonly step: 'read'; readonly bill: Bill }
  | { readonly step: 'compare'; readonly comparison: BillComparison }
  | { readonly step: 'unreadable'; readonly message: string }

/** Reads a bill, or compares it. */
export function runBillTask(task: BillTask): BillResult {
  if (task.step === 'compare') return { step: 'compare', comparison: compareBill(task.bill, task.rows, task.asked) }
  try {
    return { step: 'read', bill: readBill(task.texts) }
  } catch (error) {
    if (error instanceof UnreadableBill) return { step: 'unreadable', message: error.message }
    throw error
  }
}
