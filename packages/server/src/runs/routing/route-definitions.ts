import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  allModels,
  allRoutes,
  deleteRoute,
  findRoute,
  insertRoute,
  lockRouting,
  type RouteRow,
  updateRoute,
} from './queries.ts'
import { modelKey, type RouteDefinition, type Strategy } from './route.ts'
import { maxRoutes, type RouteInput, type RouteView } from './schema.ts'

/** The stored definition of a route: its view without the fields that have their own columns. */
type Definition = Omit<RouteView, 'id' | 'name' | 'created_at' | 'updated_at'>

const definitionOf = ({ strategy, bar, constraints = {}, candidates }: RouteInput): Definition => ({
  strategy,
  bar: bar && { ...bar, min_samples: bar.min_samples ?? 1 },
  constraints: {
    capabilities: constraints.capabilities ?? [],
    regions: constraints.regions ?? [],
    max_price_usd: constraints.max_price_usd ?? null,
    max_latency_ms: constraints.max_latency_ms ?? null,
    min_context_tokens: constraints.min_context_tokens ?? null,
  },
  candidates: candidates?.map(({ model, provider = null, weight = null }) => ({ model, provider, weight })) ?? null,
})

export const routeView = ({ id, name, definition, created_at, updated_at }: RouteRow): RouteView => ({
  id: formatId('modelRoute', id),
  name,
  ...(definition as object as Definition),
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
})

/** Converts a stored route to the form that models are chosen by. */
export function routeOf({ id, name, definition }: Pick<RouteRow, 'id' | 'name' | 'definition'>): RouteDefinition {
  const { strategy, bar, constraints, candidates } = definition as object as Definition
  return {
    id,
    name,
    strategy: strategy as Strategy,
    bar: bar && {
      suite: bar.suite,
      minScore: bar.min_score,
      minSamples: bar.min_samples,
      maxAgeSeconds: bar.max_age_seconds,
    },
    constraints: {
      capabilities: constraints.capabilities,
      regions: constraints.regions,
      maxPriceNano: constraints.max_price_usd === null ? null : parseUsd(constraints.max_price_usd),
      maxLatencyMs: constraints.max_latency_ms,
      minContextTokens: constraints.min_context_tokens,
    },
    candidates,
  }
}

export async function getRoute(tx: Tx, orgId: string, id: string): Promise<RouteView> {
  const row = await findRoute(tx, orgId, id)
  if (!row) throw new ApiError('not_found')
  return routeView(row)
}

/** Refuses unknown candidates: a misspelt one would be noticed only when no other is left. */
async function assertKnown(tx: Tx, orgId: string, candidates: Definition['candidates']) {
  if (candidates === null) return
  const known = new Set((await allModels(tx, orgId)).map(modelKey))
  const faults = candidates.flatMap((candidate, i): FieldFault[] =>
    known.has(modelKey(candidate))
      ? []
      : [{ field: `candidates.${i}`, code: 'invalid_value', message: 'The organization has no such model.' }],
  )
  if (faults.length > 0) throw validationFailed(faults)
}

function assertFree(rows: readonly RouteRow[], name: string, except?: string) {
  if (rows.some((row) => row.name === name && row.id !== except))
    throw new ApiError('conflict', {}, { message: `The route ${name} already exists.` })
}

export async function createRoute(
  { tx, audit, accessChanged }: ChangeTools,
  orgId: string,
  input: RouteInput,
): Promise<RouteView> {
  await lockRouting(tx, orgId)
  const definition = definitionOf(input)
  await assertKnown(tx, orgId, definition.candidates)
  const rows = await allRoutes(tx, orgId)
  assertFree(rows, input.name)
  if (rows.length >= maxRoutes)
    throw new ApiError('conflict', {}, { message: `An organization can have at most ${maxRoutes} routes.` })
  const after = routeView(await insertRoute(tx, orgId, newUuid(), { name: input.name, definition }))
  audit({ action: 'route.created', target: { kind: 'route', id: after.id }, after })
  accessChanged()
  return after
}

export async function replaceRoute(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<RouteInput>,
): Promise<RouteView> {
  await lockRouting(tx, orgId)
  const before = await getRoute(tx, orgId, id)
  replaces(before)
  const input = wanted(before)
  const definition = definitionOf(input)
  await assertKnown(tx, orgId, definition.candidates)
  assertFree(await allRoutes(tx, orgId), input.name, id)
  const after = routeView(await updateRoute(tx, orgId, id, { name: input.name, definition }))
  audit({ action: 'route.updated', target: { kind: 'route', id: after.id }, before, after })
  accessChanged()
  return after
}

export async function removeRoute(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  id: string,
): Promise<null> {
  await lockRouting(tx, orgId)
  const before = await getRoute(tx, orgId, id)
  replaces(before)
  await deleteRoute(tx, orgId, id)
  audit({ action: 'route.deleted', target: { kind: 'route', id: before.id }, before })
  accessChanged()
  return null
}
