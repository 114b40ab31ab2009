import { AsyncLocalStorage } from 'node:async_hooks'

/** Rows that many calls of one page need, and that are worth reading as a whole where a page says that it shows most of them. */
type SharedRows = 'limits' | 'usage'

interface PageReads {
  readonly known: Map<string, Promise<unknown>>
  readonly shared: Set<SharedRows>
  /** True once the page was answered: work that it has left behind reads for itself. */
  isOver: boolean
}

const current = new AsyncLocalStorage<PageReads>()

const runningPage = (): PageReads | undefined => {
  const reads = current.getStore()
  return reads?.isOver === false ? reads : undefined
}

/**
 * Answers a page that changes nothing. The calls that it makes to the API ask the database for the same rows once: each call is checked,
 * counted and recorded as any other, and what it may show of the rows it decides itself.
 */
export async function asOnePage<T>(work: () => Promise<T>): Promise<T> {
  const reads: PageReads = { known: new Map(), shared: new Set(), isOver: false }
  try {
    return await current.run(reads, work)
  } finally {
    reads.isOver = true
    reads.known.clear()
  }
}

/**
 * Reads rows, or takes them from another call of the same page. `what` names them with their organization. For answers only: what a
 * process keeps beyond the page, or a change is decided by, is read anew.
 */
export function readOncePerPage<T>(what: string, read: () => Promise<T>): Promise<T> {
  const known = runningPage()?.known
  if (!known) return read()
  const before = known.get(what)
  if (before) return before as Promise<T>
  const answer = read()
  known.set(what, answer)
  return answer
}

/** Declares that the running page shows most rows of a kind. To be called before its calls to the API. */
export const shareInPage = (rows: SharedRows) => {
  runningPage()?.shared.add(rows)
}

/** True in calls of a page that shows most rows of a kind. */
export const isSharedInPage = (rows: SharedRows): boolean => runningPage()?.shared.has(rows) === true
