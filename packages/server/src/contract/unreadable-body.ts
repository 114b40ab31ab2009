import type { FieldFault } from './errors.ts'

/** Stands in for a body that cannot be read; its faults are reported together with those of path and query. */
class UnreadableBody {
  readonly faults: readonly FieldFault[]

  constructor(faults: readonly FieldFault[]) {
    this.faults = faults
  }
}

/** Returns the stand-in that a reader returns in place of a value. */
export const unreadable = (...faults: FieldFault[]): unknown => new UnreadableBody(faults)

export const bodyFaultsOf = (body: unknown): readonly FieldFault[] | undefined =>
  body instanceof UnreadableBody ? body.faults : undefined
