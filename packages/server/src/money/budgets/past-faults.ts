import type { FieldFault } from '../../contract/errors.ts'

/** The steps in which usage is kept: quarters of an hour. */
const stepMs = 15 * 60_000

interface PastInput {
  readonly scope_kind: string
  readonly and_scope_kind?: string | undefined
  readonly counts_from?: string | undefined
}

/** Kinds of scopes that usage does not distinguish: tags at all, and customers together with another scope. */
const unkept = new Set(['tag', 'customer'])

/** Field errors of a time from which a new budget counts. */
export function pastFaults({ scope_kind, and_scope_kind, counts_from }: PastInput): FieldFault[] {
  if (counts_from === undefined) return []
  const atMs = Date.parse(counts_from)
  const kind = [scope_kind, and_scope_kind].find((each) => each !== undefined && unkept.has(each))
  const faults: FieldFault[] = []
  if (kind !== undefined)
    faults.push({
      field: 'counts_from',
      code: 'invalid_value',
      message: `Usage is not kept by ${kind}: this budget can only count from now on.`,
    })
  if (atMs % stepMs !== 0) {
    const before = new Date(atMs - (atMs % stepMs)).toISOString()
    faults.push({
      field: 'counts_from',
      code: 'invalid_value',
      message: `Usage is kept by quarters of an hour: must be at the beginning of one, such as ${before}.`,
    })
  }
  return faults
}
