import { setImmediate } from 'node:timers/promises'

const turnMs = 4
/** Items between two looks at the clock: far less work than a turn. */
const itemsPerLook = 16

/** Time slice of long work: after a few milliseconds it yields, so that no other request waits for all of it. */
export class Turn {
  private startedMs = performance.now()

  get isOver() {
    return performance.now() - this.startedMs >= turnMs
  }

  /** Yields to the event loop if the turn is over. */
  async giveWay() {
    if (!this.isOver) return
    await setImmediate()
    this.startedMs = performance.now()
  }
}

export async function inTurns<T>(items: readonly T[], work: (item: T, index: number) => void) {
  const turn = new Turn()
  for (const [index, item] of items.entries()) {
    if (index % itemsPerLook === 0 && turn.isOver) await turn.giveWay()
    work(item, index)
  }
}

/** Runs a generator, yielding to the event loop between steps. The first steps run at once: most work is done with them. */
export async function inSteps<T>(steps: Generator<void, T>): Promise<T> {
  for (let taken = 1; ; taken++) {
    const step = steps.next()
    if (step.done) return step.value
    if (taken >= stepsAtOnce) await setImmediate()
  }
}

const stepsAtOnce = 3
