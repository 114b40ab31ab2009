import type { ChangeTools } from '../../access/changes/changes.ts'
import { requireLineage } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type FreezeRow, freezesOf, limitIdIn, lockLedgerForConfigChange } from '../ledger/ledger.ts'
import { parseLimitId } from '../limit-kinds.ts'
import { deleteFreeze, limitExists, upsertFreeze } from './queries.ts'
import type { FreezeInput, FreezeView } from './schema.ts'

const viewOf = (row: FreezeRow): FreezeView => ({
  id: formatId('freeze', row.id),
  target_kind: row.target_kind,
  target_id: row.target,
  reason: row.reason,
  frozen_at: timestamp(row.created_at),
})

export const listFreezes = async (tx: Tx, orgId: string) => ({ data: (await freezesOf(tx, orgId)).map(viewOf) })

/** Something that can be frozen, with its id as it is stored and as `/v1` writes it. */
export interface FreezeTarget {
  readonly target_kind: 'org' | 'key' | 'limit'
  readonly target_id: string
  readonly target: string
}

export const orgTarget = (orgId: string): FreezeTarget => ({
  target_kind: 'org',
  target_id: orgId,
  target: formatId('org', orgId),
})

/** A key with all its rotations, so that rotating it thaws nothing. */
export async function keyTarget(tx: Tx, orgId: string, keyId: string): Promise<FreezeTarget> {
  const lineageId = await requireLineage(tx, orgId, keyId)
  return { target_kind: 'key', target_id: lineageId, target: formatId('key', lineageId) }
}

export async function limitTarget(tx: Tx, orgId: string, text: string): Promise<FreezeTarget> {
  const parsed = parseLimitId(text)
  if (!parsed || !(await limitExists(tx, orgId, parsed.kind.kind, parsed.id))) throw new ApiError('not_found')
  return { target_kind: 'limit', target_id: parsed.id, target: limitIdIn(parsed.kind, { limitId: parsed.id }) }
}

const find = async (tx: Tx, orgId: string, { target_kind, target_id }: FreezeTarget) =>
  (await freezesOf(tx, orgId)).find((row) => row.target_kind === target_kind && row.target_id === target_id)

/** Freezes something from the next decision on; freezing it again only changes the reason. */
export async function freeze(
  { tx, audit, emit }: ChangeTools,
  orgId: string,
  targetOf: (tx: Tx) => Promise<FreezeTarget>,
  { reason }: FreezeInput,
): Promise<FreezeView> {
  await lockLedgerForConfigChange(tx, orgId)
  const target = await targetOf(tx)
  const found = await find(tx, orgId, target)
  const before = found && viewOf(found)
  const after = viewOf(await upsertFreeze(tx, orgId, { id: newUuid(), ...target, reason }))
  audit({
    action: `${target.target_kind}.frozen`,
    target: { kind: target.target_kind, id: target.target },
    before,
    after,
  })
  if (!before) emit({ kind: 'freeze.set', subject: target.target, data: eventData(after) })
  return after
}

/** Thaws something: the limits decide again, with what they have counted. */
export async function thaw(
  { tx, audit, emit }: ChangeTools,
  orgId: string,
  targetOf: (tx: Tx) => Promise<FreezeTarget>,
): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const target = await targetOf(tx)
  const found = await find(tx, orgId, target)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found)
  await deleteFreeze(tx, orgId, found.id)
  audit({ action: `${target.target_kind}.thawed`, target: { kind: target.target_kind, id: target.target }, before })
  emit({ kind: 'freeze.lifted', subject: target.target, data: eventData(before) })
  return null
}

const eventData = ({ id, target_kind, target_id, reason, frozen_at }: FreezeView) => ({
  freeze_id: id,
  target_kind,
  target_id,
  reason,
  frozen_at,
})
