import { setImmediate } from 'node:timers/promises'

const perTurn = 500

/** Long work gives way to others in between: nobody else's request waits for all of it. */
export async function inTurns<T>(items: readonly T[], work: (item: T, index: number) => void) {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perTurn === 0) await setImmediate()
    work(item, index)
  }
}

/** Long work that was cut into steps, with others in between. The first ones come at once: most work is done with them. */
export async function inSteps<T>(steps: Generator<void, T>): Promise<T> {
  for (let taken = 1; ; taken++) {
    const step = steps.next()
    if (step.done) return step.value
    if (taken >= stepsAtOnce) await setImmediate()
  }
}

const stepsAtOnce = 3
