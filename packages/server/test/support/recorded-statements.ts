import { AsyncLocalStorage } from 'node:async_hooks'
import { Server, type ServerResponse } from 'node:http'
import pg from 'pg'

/** A statement as it was sent to PostgreSQL. */
export interface RecordedStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Number of its connection: statements of one transaction have the same. */
  readonly connection: number
}

/** A request that a server in this process has answered, and every statement that it sent on the way. */
export interface RecordedRequest {
  readonly address: string
  readonly status: number
  /** Time from its headers to the last byte of its answer. */
  readonly ms: number
  /** Processor time that the whole process used meanwhile. */
  readonly cpuMs: number
  readonly statements: readonly RecordedStatement[]
}

const bookkeeping =
  /^\s*(?:begin|start transaction|commit|rollback|savepoint|release|set)\b|^\s*select (?:set_config\(|clock_timestamp\(\) as now$)/i

/**
 * True for a statement that reads or writes tables, which is what counts as a query. The others open and close a transaction, name the
 * organizations whose rows it sees, and ask for the time.
 */
export const isQuery = ({ text }: RecordedStatement): boolean => !bookkeeping.test(text)

/**
 * Records the requests that servers of this process answer. Calls that a page makes within the process belong to its request; work that no
 * request has started, such as the renewal of a lease, belongs to none. To be called before the first connection is opened.
 */
export function recordRequests(): { readonly take: () => RecordedRequest[] } {
  const current = new AsyncLocalStorage<RecordedStatement[]>()
  const requests: RecordedRequest[] = []
  recordStatements((statement) => current.getStore()?.push(statement))
  const prototype = Server.prototype as unknown as Record<'emit', (event: string, ...rest: unknown[]) => boolean>
  const emit = prototype.emit
  prototype.emit = function (this: unknown, event: string, ...rest: unknown[]) {
    if (event !== 'request') return emit.call(this, event, ...rest)
    const [{ url }, response] = rest as [{ url: string }, ServerResponse]
    const statements: RecordedStatement[] = []
    const [startedMs, cpu] = [performance.now(), process.cpuUsage()]
    response.once('finish', () => {
      const { user, system } = process.cpuUsage(cpu)
      const [ms, cpuMs] = [performance.now() - startedMs, (user + system) / 1_000]
      requests.push({ address: url, status: response.statusCode, ms, cpuMs, statements })
    })
    return current.run(statements, () => emit.call(this, event, ...rest))
  }
  return { take: () => requests.splice(0) }
}

/** Records the statements of pieces of work. To be called before the first connection is opened. */
export function recordWork(): (work: () => Promise<unknown>) => Promise<RecordedStatement[]> {
  const current = new AsyncLocalStorage<RecordedStatement[]>()
  recordStatements((statement) => current.getStore()?.push(statement))
  return async (work) => {
    const statements: RecordedStatement[] = []
    await current.run(statements, work)
    return statements
  }
}

function recordStatements(record: (statement: RecordedStatement) => void) {
  const prototype = pg.Client.prototype as unknown as Record<'query', (...rest: unknown[]) => unknown>
  const query = prototype.query
  const numbers = new WeakMap<object, number>()
  let connections = 0
  prototype.query = function (this: object, ...rest: unknown[]) {
    const [first, second] = rest as [string | { text?: string; values?: unknown[] } | undefined, unknown]
    const text = typeof first === 'string' ? first : first?.text
    const values = Array.isArray(second) ? second : typeof first === 'object' ? first.values : undefined
    if (!numbers.has(this)) numbers.set(this, connections++)
    if (text !== undefined) record({ text, values: values ?? [], connection: numbers.get(this) ?? 0 })
    return query.apply(this, rest)
  }
}
