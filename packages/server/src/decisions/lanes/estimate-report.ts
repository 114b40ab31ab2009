import type { RunEnding } from './operations.ts'

/** The ending of a run by estimate as its hold stores it, until an exact one replaces it. */
type StoredReport = Omit<RunEnding, 'valueNano'> & { readonly valueNano: string | null }

export const reportOfEnding = (ending: RunEnding): StoredReport => ({
  ...ending,
  valueNano: ending.valueNano?.toString() ?? null,
})

/** Returns the ending from what `reportOfEnding` has made of it. */
export function endingOfReport(report: object): RunEnding {
  const stored = report as StoredReport
  return { ...stored, valueNano: stored.valueNano === null ? null : BigInt(stored.valueNano) }
}
