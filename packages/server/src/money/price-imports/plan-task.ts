import type { PriceEntry, PriceInput } from '../prices/prices.ts'
import { type PriceFormat, readPriceFile, UnreadableFile } from './formats.ts'
import type { ModelChoice } from './offers.ts'
import { type ImportPlan, planImport } from './price-imports.ts'

/** An import to be planned, as a thread takes it. */
export interface PlanTask {
  readonly text: string
  readonly format: PriceFormat | undefined
  readonly choice: ModelChoice
  readonly standing: readonly PriceInput[]
  /** Entries of the installation, for an import into those of an organization. */
  readonly behind: readonly PriceEntry[] | undefined
  readonly replaces: boolean
  readonly nowMs: number
}

export type PlanResult = { readonly plan: ImportPlan } | { readonly unreadable: string }

/** Reads a file and plans its import. */
export function runPlanTask({ text, format, choice, standing, ...options }: PlanTask): PlanResult {
  try {
    return { plan: planImport(readPriceFile(text, format), choice, standing, options) }
  } catch (error) {
    if (error instanceof UnreadableFile) return { unreadable: error.message }
    throw error
  }
}
