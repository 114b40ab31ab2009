import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { limitColumns, type NewLimit } from './queries.ts'

/** Counts the limits of a kind that are in force. */
export async function countLimitsInForce(tx: Tx, orgId: string, kind: string): Promise<number> {
  const { count } = await tx
    .selectFrom('limits')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Returns the limits in force of a kind that may be on a scope: those that name it so, and those whose name may have another spelling. A name
 * without capitals and blanks is its own normal form, so it is another scope's where it differs.
 */
export const limitsNear = (tx: Tx, orgId: string, kind: string, scope: Pick<NewLimit, 'scope_kind' | 'scope_id'>) =>
  tx
    .selectFrom('limits')
    .select(limitColumns)
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('ended_at', 'is', null)
    .where('scope_kind', '=', scope.scope_kind)
    .where(raw<boolean>`(scope_id = ${scope.scope_id} or scope_id !~ '^[a-z0-9][a-z0-9.:@_/-]*$')`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
