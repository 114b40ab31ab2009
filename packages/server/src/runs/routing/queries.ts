import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { ModelName } from './route.ts'

/**
 * Locks the organization's routing until the transaction ends: routes must name existing models, and counts must stay within
 * their limits.
 */
export async function lockRouting(tx: Tx, orgId: string) {
  await raw`select pg_advisory_xact_lock(hashtextextended(${`routing ${orgId}`}, 0))`.execute(tx)
}

const modelColumns = [
  'id',
  'model',
  'provider',
  'region',
  'capabilities',
  'context_tokens',
  'latency_ms',
  'enabled',
  'created_at',
  'updated_at',
] as const

const models = (tx: Tx, orgId: string) =>
  tx.selectFrom('routing_models').select(modelColumns).where('org_id', '=', orgId)

export const findModel = (tx: Tx, orgId: string, id: string) =>
  models(tx, orgId).where('id', '=', id).executeTakeFirst()

export type RoutingModelRow = NonNullable<Awaited<ReturnType<typeof findModel>>>

/** Returns the models in the order in which they were added. */
export const allModels = (tx: Tx, orgId: string): Promise<RoutingModelRow[]> =>
  models(tx, orgId).orderBy('created_at').orderBy('id').execute()

export async function listModels(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at' | 'model'>,
  filters: { model?: string; provider?: string; enabled?: boolean },
) {
  let query = models(tx, orgId).select(raw<string>`${raw.ref(page.sort)}::text`.as('sort_value'))
  if (filters.model !== undefined) query = query.where('model', '=', filters.model)
  if (filters.provider !== undefined) query = query.where('provider', '=', filters.provider)
  if (filters.enabled !== undefined) query = query.where('enabled', '=', filters.enabled)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export interface ModelFields extends ModelName {
  readonly region: string | null
  readonly capabilities: string[]
  readonly context_tokens: number | null
  readonly latency_ms: number | null
  readonly enabled: boolean
}

export const insertModel = (tx: Tx, orgId: string, id: string, fields: ModelFields): Promise<RoutingModelRow> =>
  tx
    .insertInto('routing_models')
    .values({ ...fields, org_id: orgId, id })
    .returning(modelColumns)
    .executeTakeFirstOrThrow()

export const updateModel = (tx: Tx, orgId: string, id: string, fields: ModelFields): Promise<RoutingModelRow> =>
  tx
    .updateTable('routing_models')
    .set({ ...fields, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(modelColumns)
    .executeTakeFirstOrThrow()

export const deleteModel = (tx: Tx, orgId: string, id: string) =>
  tx.deleteFrom('routing_models').where('org_id', '=', orgId).where('id', '=', id).execute()

const routeColumns = ['id', 'name', 'definition', 'created_at', 'updated_at'] as const

const routes = (tx: Tx, orgId: string) => tx.selectFrom('routes').select(routeColumns).where('org_id', '=', orgId)

export const findRoute = (tx: Tx, orgId: string, id: string) =>
  routes(tx, orgId).where('id', '=', id).executeTakeFirst()

export type RouteRow = NonNullable<Awaited<ReturnType<typeof findRoute>>>

export const allRoutes = (tx: Tx, orgId: string): Promise<RouteRow[]> => routes(tx, orgId).orderBy('id').execute()

export async function listRoutes(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at' | 'name'>,
  filters: { name?: string; strategy?: string },
) {
  let query = routes(tx, orgId).select(raw<string>`${raw.ref(page.sort)}::text`.as('sort_value'))
  if (filters.name !== undefined) query = query.where('name', '=', filters.name)
  if (filters.strategy !== undefined) query = query.where(raw`definition->>'strategy'`, '=', filters.strategy)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export const insertRoute = (
  tx: Tx,
  orgId: string,
  id: string,
  { name, definition }: { name: string; definition: object },
): Promise<RouteRow> =>
  tx
    .insertInto('routes')
    .values({ org_id: orgId, id, name, definition: JSON.stringify(definition) })
    .returning(routeColumns)
    .executeTakeFirstOrThrow()

export const updateRoute = (
  tx: Tx,
  orgId: string,
  id: string,
  { name, definition }: { name: string; definition: object },
): Promise<RouteRow> =>
  tx
    .updateTable('routes')
    .set({ name, definition: JSON.stringify(definition), updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(routeColumns)
    .executeTakeFirstOrThrow()

export const deleteRoute = (tx: Tx, orgId: string, id: string) =>
  tx.deleteFrom('routes').where('org_id', '=', orgId).where('id', '=', id).execute()

/** Returns the region that models must be in under strict data residency, or null. */
export async function findResidency(tx: Tx, orgId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('orgs')
    .select('home_region')
    .where('id', '=', orgId)
    .where('residency', '=', 'strict')
    .executeTakeFirst()
  return row?.home_region ?? null
}
