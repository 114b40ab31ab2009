import { setImmediate } from 'node:timers/promises'

const sliceMs = 4

/** Splits long work into time slices and yields to other work in between. */
export class TimeSlice {
  private startedMs = performance.now()

  get isOver(): boolean {
    return performance.now() - this.startedMs > sliceMs
  }

  async yieldIfOver(): Promise<void> {
    if (!this.isOver) return
    await setImmediate()
    this.startedMs = performance.now()
  }
}
