import type { BoundStatement, PipelinedConnection } from '../../platform/infra/pipelined-connection.ts'
import { errorCode } from '../../values/thrown.ts'
import * as queries from './queries.ts'

/** The connection was lost after COMMIT had been sent: the outcome cannot be known here. */
export class UnknownOutcome extends Error {}

/**
 * Sends the writes and commits. Committed only if PostgreSQL answers COMMIT without a warning: after a failed statement it
 * answers ROLLBACK, and no error.
 */
export async function commit(connection: PipelinedConnection, writes: readonly BoundStatement[]) {
  connection.takeWarnings()
  let results: Awaited<ReturnType<PipelinedConnection['pipeline']>>
  try {
    results = await connection.pipeline([...writes, queries.commit])
  } catch (error) {
    if (isStatementError(errorCode(error) ?? '')) throw error
    throw new UnknownOutcome('the connection was lost around COMMIT', { cause: error })
  }
  const warnings = connection.takeWarnings()
  if (results.at(-1)!.command !== 'COMMIT' || warnings.length > 0)
    throw new UnknownOutcome(`COMMIT answered ${results.at(-1)!.command}: ${warnings.join('; ')}`)
}

/**
 * True for an SQLSTATE by which a statement failed, so that nothing was committed; others end the connection with an unknown
 * outcome.
 */
const isStatementError = (code: string) =>
  /^(21|22|23|25006|25P02|40001|40P01|42|53|54|55|WE)/.test(code) || code === '57014'
