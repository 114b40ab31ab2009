import { setImmediate } from 'node:timers/promises'

const perTurn = 500

/** Long work gives way to others in between: nobody else's request waits for all of it. */
export async function inTurns<T>(items: readonly T[], work: (item: T, index: number) => void) {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perTurn === 0) await setImmediate()
    work(item, index)
  }
}
