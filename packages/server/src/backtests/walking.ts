import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 3

/** Pages one after the other; the next is on its way while one is worked on. */
export async function* pagesAhead<P extends { readonly rows: readonly string[] }>(
  read: (after: string | undefined) => Promise<P>,
  size: number,
): AsyncGenerator<P, void, undefined> {
  let next = read(undefined)
  for (;;) {
    const page = await next
    const isLast = page.rows.length < size
    if (!isLast) {
      next = read(page.rows.at(-1))
      // Whoever stops here does not come back for it.
      next.catch(() => undefined)
    }
    yield page
    if (isLast) return
  }
}

/** Works rows off, a few at a time, and lets everybody else have their turn every few milliseconds. */
export async function inSlices<T>(
  rows: readonly T[],
  step: number,
  signal: AbortSignal,
  work: (some: readonly T[]) => void,
) {
  let endMs = performance.now() + sliceMs
  for (let i = 0; i < rows.length; i += step) {
    work(rows.slice(i, i + step))
    if (performance.now() < endMs) continue
    await nextTurn()
    signal.throwIfAborted()
    endMs = performance.now() + sliceMs
  }
}
