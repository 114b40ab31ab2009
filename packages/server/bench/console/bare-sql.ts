import type pg from 'pg'
import { isQuery, type RecordedStatement } from '../../test/support/recorded-statements.ts'

/** What JSON makes of bytes. */
const isBytes = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer'
const revived = (value: unknown) => (isBytes(value) ? Buffer.from(value.data) : value)

/**
 * Runs the statements of a page again, one after the other on one connection, and returns the time that its queries took. Statements
 * come in the order of their transactions, each of which is rolled back.
 */
export async function replay(client: pg.Client, statements: readonly RecordedStatement[]): Promise<number> {
  let ms = 0
  const ordered = statements.toSorted((a, b) => a.connection - b.connection)
  for (const statement of ordered) {
    const text = statement.text.replace(/^commit\b/i, 'rollback')
    const startedMs = performance.now()
    await client.query(text, statement.values.map(revived))
    if (isQuery(statement)) ms += performance.now() - startedMs
  }
  return ms
}
