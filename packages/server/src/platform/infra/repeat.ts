import { setTimeout as sleep } from 'node:timers/promises'

/** Work that goes on in the background until it is closed. Closing waits for the round in progress. */
export interface Repetition {
  readonly close: () => Promise<void>
}

/** One round of work, which may look whether it is to stop. Returns true where there is more to do at once. */
export type Round = (closed: AbortSignal) => Promise<boolean | void>

/** Does a round of work after each pause, until it is closed. A round that fails is followed by a pause like any other. */
export function repeat(
  round: Round,
  { everyMs, onError }: { readonly everyMs: number; readonly onError: (error: unknown) => void },
): Repetition {
  const closed = new AbortController()
  const { signal } = closed

  async function run() {
    let isMore: boolean | void = false
    while (!signal.aborted) {
      if (!isMore) await sleep(everyMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      isMore = await round(signal).catch((error: unknown) => {
        onError(error)
        return false
      })
    }
  }

  const running = run()
  return {
    close: async () => {
      closed.abort()
      await running
    },
  }
}
