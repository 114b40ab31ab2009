import type { FieldFault } from './errors.ts'

/** Stands in place of a body that cannot be understood; its faults are reported together with those of path and query. */
class UnreadableBody {
  readonly faults: readonly FieldFault[]

  constructor(faults: readonly FieldFault[]) {
    this.faults = faults
  }
}

/** What a reader gives back in place of a value. */
export const unreadable = (...faults: FieldFault[]): unknown => new UnreadableBody(faults)

export const bodyFaultsOf = (body: unknown): readonly FieldFault[] | undefined =>
  body instanceof UnreadableBody ? body.faults : undefined
