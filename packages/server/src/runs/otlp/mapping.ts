import type { ChangeTools } from '../../access/changes/changes.ts'
import { type Caller, lineagesOf } from '../../access/identity/identity.ts'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import { lockLedgerForConfigChange } from '../../money/ledger/ledger.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, parseId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { dimensions, type MappedDimension } from './names.ts'
import { deleteMapping, findMapping, type MappingRow, upsertMapping } from './queries.ts'
import type { OtlpMapping, OtlpMappingInput } from './schema.ts'

/** The attributes in which an organization's spans name each dimension, where it has set them. */
export type Mapping = Readonly<Partial<Record<MappedDimension, readonly string[] | null>>> &
  Readonly<Partial<Pick<MappingRow, 'seat_keys' | 'seat_accounts' | 'seat_logins'>>>

export const loadMapping = async (tx: Tx, orgId: string): Promise<Mapping> => (await findMapping(tx, orgId)) ?? {}

/** Every attribute that a mapping names. */
export const mappedAttributes = (mapping: Mapping): ReadonlySet<string> =>
  new Set(dimensions.flatMap((dimension) => mapping[dimension] ?? []))

const viewOf = (row: MappingRow | undefined): OtlpMapping => ({
  workflow_id: row?.workflow_id ?? null,
  deployment_id: row?.deployment_id ?? null,
  department_id: row?.department_id ?? null,
  customer_id: row?.customer_id ?? null,
  user_id: row?.user_id ?? null,
  seat_keys: row?.seat_keys?.map((id) => formatId('key', id)) ?? null,
  seat_accounts: row?.seat_accounts ?? null,
  seat_logins: row?.seat_logins ?? null,
  created_at: row ? timestamp(row.created_at) : null,
  updated_at: row ? timestamp(row.updated_at) : null,
})

export const getMapping = async (tx: Tx, orgId: string): Promise<OtlpMapping> => viewOf(await findMapping(tx, orgId))

const target = (orgId: string) => ({ kind: 'otlp_mapping', id: formatId('org', orgId) })

const seatFields = ['seat_keys', 'seat_accounts', 'seat_logins'] as const

export async function putMapping(
  { tx, audit, replaces }: ChangeTools,
  { orgId, scopes }: Pick<Caller, 'orgId' | 'scopes'>,
  wanted: DesiredState<OtlpMappingInput>,
) {
  await lockLedgerForConfigChange(tx, orgId)
  const before = viewOf(await findMapping(tx, orgId))
  replaces(before)
  const input = wanted(before)
  requireSeatScope(scopes, before, input)
  const after = viewOf(
    await upsertMapping(tx, orgId, {
      workflow_id: input.workflow_id ?? null,
      deployment_id: input.deployment_id ?? null,
      department_id: input.department_id ?? null,
      customer_id: input.customer_id ?? null,
      user_id: input.user_id ?? null,
      seat_keys: input.seat_keys ? await keysNamed(tx, orgId, input.seat_keys) : null,
      seat_accounts: input.seat_accounts ?? null,
      seat_logins: input.seat_logins ?? null,
    }),
  )
  audit({ action: 'otlp_mapping.set', target: target(orgId), before, after })
  return after
}

/** Requires a scope of limits for another set of seats: what a seat uses costs nothing, so to say what is one is as much as to set a price. */
function requireSeatScope(scopes: Caller['scopes'], before: OtlpMapping, after: Partial<OtlpMappingInput>) {
  const isOther = seatFields.some((name) => JSON.stringify(after[name] ?? null) !== JSON.stringify(before[name]))
  if (isOther && !scopes.has('limits:write'))
    throw new ApiError(
      'missing_scope',
      { required: 'limits:write' },
      { message: 'To change seats takes the scope limits:write.' },
    )
}

/** Returns the keys as they are stored: by the first of their rotations, so that they stay named when they are rotated. */
async function keysNamed(tx: Tx, orgId: string, ids: readonly string[]): Promise<string[]> {
  const known = await lineagesOf(
    tx,
    orgId,
    ids.flatMap((id) => parseId('key', id) ?? []),
  )
  const lineages = ids.map((id) => known.get(parseId('key', id) ?? ''))
  const faults = lineages.flatMap((lineageId, index): FieldFault[] =>
    lineageId === undefined
      ? [{ field: `seat_keys.${index}`, code: 'invalid_value', message: 'The organization has no key with this id.' }]
      : [],
  )
  if (faults.length > 0) throw validationFailed(faults)
  return [...new Set(lineages.filter((lineageId) => lineageId !== undefined))]
}

export async function removeMapping(
  { tx, audit, replaces }: ChangeTools,
  { orgId, scopes }: Pick<Caller, 'orgId' | 'scopes'>,
): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const found = await findMapping(tx, orgId)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found)
  replaces(before)
  requireSeatScope(scopes, before, {})
  await deleteMapping(tx, orgId)
  audit({ action: 'otlp_mapping.deleted', target: target(orgId), before })
  return null
}
