import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 3

/** Yields pages in order and prefetches the next one while a page is processed. */
export async function* prefetchPages<P extends { readonly rows: readonly string[] }>(
  read: (after: string | undefined) => Promise<P>,
  size: number,
): AsyncGenerator<P, void, undefined> {
  let next = read(undefined)
  for (;;) {
    const page = await next
    const isLast = page.rows.length < size
    if (!isLast) {
      next = read(page.rows.at(-1))
      // A consumer that stops here never awaits the prefetched page.
      next.catch(() => undefined)
    }
    yield page
    if (isLast) return
  }
}

/** Processes rows in small steps and yields to other work every few milliseconds. */
export async function forEachSlice<T>(
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
