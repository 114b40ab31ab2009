import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import { lockLedgerForConfigChange } from '../../money/ledger/ledger.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { dimensions, type MappedDimension } from './names.ts'
import { deleteMapping, findMapping, type MappingRow, upsertMapping } from './queries.ts'
import type { OtlpMapping, OtlpMappingInput } from './schema.ts'

/** The attributes in which an organization's spans name each dimension, where it has set them. */
export type Mapping = Readonly<Partial<Record<MappedDimension, readonly string[] | null>>>

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
  created_at: row ? timestamp(row.created_at) : null,
  updated_at: row ? timestamp(row.updated_at) : null,
})

export const getMapping = async (tx: Tx, orgId: string): Promise<OtlpMapping> => viewOf(await findMapping(tx, orgId))

const target = (orgId: string) => ({ kind: 'otlp_mapping', id: formatId('org', orgId) })

export async function putMapping(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  wanted: DesiredState<OtlpMappingInput>,
) {
  await lockLedgerForConfigChange(tx, orgId)
  const before = viewOf(await findMapping(tx, orgId))
  replaces(before)
  const input = wanted(before)
  const after = viewOf(
    await upsertMapping(tx, orgId, {
      workflow_id: input.workflow_id ?? null,
      deployment_id: input.deployment_id ?? null,
      department_id: input.department_id ?? null,
      customer_id: input.customer_id ?? null,
      user_id: input.user_id ?? null,
    }),
  )
  audit({ action: 'otlp_mapping.set', target: target(orgId), before, after })
  return after
}

export async function removeMapping({ tx, audit, replaces }: ChangeTools, orgId: string): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const found = await findMapping(tx, orgId)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found)
  replaces(before)
  await deleteMapping(tx, orgId)
  audit({ action: 'otlp_mapping.deleted', target: target(orgId), before })
  return null
}
