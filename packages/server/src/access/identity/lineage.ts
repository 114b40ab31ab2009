import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lineageOf } from './queries.ts'

/** Returns the lineage of a key, by which it stays the same key when it is rotated; throws where there is no such key. */
export async function requireLineage(tx: Tx, orgId: string, keyId: string): Promise<string> {
  const lineageId = await lineageOf(tx, orgId, keyId)
  if (lineageId === undefined) throw new ApiError('not_found')
  return lineageId
}
