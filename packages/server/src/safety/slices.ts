import { setImmediate } from 'node:timers/promises'

const sliceMs = 4

/** Splits long work into time slices and yields to other work in between. */
export class Slices {
  private begunMs = performance.now()

  get isOver(): boolean {
    return performance.now() - this.begunMs > sliceMs
  }

  async giveWay(): Promise<void> {
    if (!this.isOver) return
    await setImmediate()
    this.begunMs = performance.now()
  }
}
