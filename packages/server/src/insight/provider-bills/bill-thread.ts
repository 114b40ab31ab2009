import { TaskThread } from '../../contract/task-thread.ts'
import type { BillResult, BillTask } from './bill-task.ts'

export type BillThread = TaskThread<BillTask, BillResult>

/** Creates the thread that reads and compares bills. */
export const createBillThread = (): BillThread =>
  new TaskThread(new URL('./bill-thread-program.ts', import.meta.url), { one: 'bill', many: 'bills' })
