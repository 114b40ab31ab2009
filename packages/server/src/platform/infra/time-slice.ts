import { setImmediate } from 'node:timers/promises'

const sliceMs = 4
/** Items between two looks at the clock: far less work than a turn. */
const itemsPerCheck = 16

/** Time slice of long work: after a few milliseconds it yields, so that no other request waits for all of it. */
export class TimeSlice {
  private startedMs = performance.now()

  get isOver() {
    return performance.now() - this.startedMs >= sliceMs
  }

  /** Yields to the event loop if the turn is over. */
  async yieldIfOver() {
    if (!this.isOver) return
    await setImmediate()
    this.startedMs = performance.now()
  }
}

export async function forEachYielding<T>(items: readonly T[], work: (item: T, index: number) => void) {
  const slice = new TimeSlice()
  for (const [index, item] of items.entries()) {
    if (index % itemsPerCheck === 0 && slice.isOver) await slice.yieldIfOver()
    work(item, index)
  }
}

/** Runs a generator, yielding to the event loop between steps. The first steps run at once: most work is done with them. */
export async function runCooperatively<T>(steps: Generator<void, T>): Promise<T> {
  for (let taken = 1; ; taken++) {
    const step = steps.next()
    if (step.done) return step.value
    if (taken >= initialSteps) await setImmediate()
  }
}

const initialSteps = 3
