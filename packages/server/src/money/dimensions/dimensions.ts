import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { normalForm } from '../../values/normal-form.ts'
import { present } from '../../values/present.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { lockLedgerForConfigChange, type OrgLimits } from '../ledger/ledger.ts'
import { type KnownNames, knownNames } from './known-names.ts'
import { deleteDimension, dimensionRows, findDimension, type KnownValuesRow, upsertDimension } from './queries.ts'
import { type DimensionInput, type DimensionName, type DimensionView, dimensionNames, onUnknowns } from './schema.ts'

/** The rule about the names of one dimension. */
interface DimensionRule {
  readonly dimension: DimensionName
  readonly known: KnownNames
  readonly onUnknown: 'default_limit' | 'refuse'
}

/** The rules of an organization about names; undefined where it has none, so that decisions need not look. */
export type DimensionRules = readonly DimensionRule[] | undefined

const onUnknownOf = ({ on_unknown }: KnownValuesRow) => present(onUnknowns.find((value) => value === on_unknown))

export async function loadDimensions(tx: Tx, orgId: string): Promise<DimensionRules> {
  const rules = (await dimensionRows(tx, orgId)).flatMap((row): DimensionRule[] => {
    const onUnknown = onUnknownOf(row)
    const dimension = present(dimensionNames.find((name) => name === row.dimension))
    return onUnknown === 'allow' ? [] : [{ dimension, known: knownNames(row.known_values, row.pattern), onUnknown }]
  })
  return rules.length === 0 ? undefined : rules
}

/** A call that names something that its organization does not know. */
export class UnknownValue extends ApiError<'validation_failed'> {
  constructor(fields: readonly FieldFault[]) {
    super('validation_failed', { fields: [...fields] })
  }
}

type Named = { readonly [name in DimensionName]?: string | readonly string[] | undefined }
type Limits = Pick<OrgLimits, 'limits' | 'customerDefault'>

/** Refuses a call with names, in normal form, that its organization does not know. */
export function refuseUnknownNames(org: Limits & { readonly dimensions?: DimensionRules }, call: Named) {
  if (!org.dimensions) return
  const faults = org.dimensions.flatMap(({ dimension, known, onUnknown }): FieldFault[] => {
    const given = call[dimension]
    const names = given === undefined ? [] : typeof given === 'string' ? [given] : given
    const unknown = names.find((name) => !known.has(name))
    if (unknown === undefined || (onUnknown === 'default_limit' && hasDefaultLimit(org, dimension))) return []
    return [{ field: dimension, code: 'invalid_value', message: messageOf(dimension, unknown, known, onUnknown) }]
  })
  if (faults.length > 0) throw new UnknownValue(faults)
}

function messageOf(dimension: string, name: string, known: KnownNames, onUnknown: string): string {
  const near = known.nearestTo(name)
  const meant = near === undefined ? '' : `; the nearest one that it knows is ${near}`
  const why = onUnknown === 'default_limit' ? ', and there is no default limit to hold it under' : ''
  return `The organization knows no ${dimension} ${JSON.stringify(name)}${meant}${why}.`
}

/** True when a name without a limit of its own is held under a default limit that refuses. */
function hasDefaultLimit({ limits, customerDefault }: Limits, dimension: DimensionName): boolean {
  if (dimension === 'customer_id') return customerDefault !== null && customerDefault.amount !== null
  const scopeKind = dimension.replace(/_id$/, '')
  return limits.some(
    (limit) =>
      limit.scopeKind === scopeKind &&
      limit.kind === 'budget_default' &&
      limit.amount !== null &&
      limit.enforcement === 'block',
  )
}

const viewOf = (dimension: DimensionName, row: KnownValuesRow | undefined): DimensionView => ({
  dimension,
  values: row?.known_values ?? [],
  pattern: row?.pattern ?? null,
  on_unknown: row ? onUnknownOf(row) : 'allow',
  created_at: timestampOrNull(row?.created_at ?? null),
  updated_at: timestampOrNull(row?.updated_at ?? null),
})

export async function listDimensions(tx: Tx, orgId: string): Promise<{ data: DimensionView[] }> {
  const rows = new Map((await dimensionRows(tx, orgId)).map((row) => [row.dimension, row]))
  return { data: dimensionNames.map((name) => viewOf(name, rows.get(name))) }
}

export const getDimension = async (tx: Tx, orgId: string, dimension: DimensionName): Promise<DimensionView> =>
  viewOf(dimension, await findDimension(tx, orgId, dimension))

const targetOf = (orgId: string) => ({ kind: 'org', id: formatId('org', orgId) })

export async function putDimension(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  dimension: DimensionName,
  wanted: DesiredState<DimensionInput>,
): Promise<DimensionView> {
  await lockLedgerForConfigChange(tx, orgId)
  const before = await getDimension(tx, orgId, dimension)
  replaces(before)
  const { values = [], pattern = null, on_unknown } = wanted(before)
  if (on_unknown === 'default_limit' && (dimension === 'action' || dimension === 'tags'))
    throw validationFailed([
      { field: 'on_unknown', code: 'invalid_value', message: `There are no default limits of ${dimension}.` },
    ])
  const known_values = [...new Set(values.map(normalForm))].sort()
  const after = viewOf(dimension, await upsertDimension(tx, orgId, dimension, { known_values, pattern, on_unknown }))
  audit({ action: 'dimension.set', target: targetOf(orgId), before, after })
  return after
}

export async function removeDimension(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  dimension: DimensionName,
): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const found = await findDimension(tx, orgId, dimension)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(dimension, found)
  replaces(before)
  await deleteDimension(tx, orgId, dimension)
  audit({ action: 'dimension.deleted', target: targetOf(orgId), before })
  return null
}
