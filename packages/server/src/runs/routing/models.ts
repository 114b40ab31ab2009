import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import { loadPriceBook, type Price, type PriceBook, usdPerMillion } from '../../money/prices/prices.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  allModels,
  allRoutes,
  deleteModel,
  findModel,
  insertModel,
  lockRouting,
  type ModelFields,
  type RoutingModelRow,
  updateModel,
} from './queries.ts'
import { type ModelName, modelDisplayName, modelKey, type RoutableModel } from './route.ts'
import { routeOf } from './route-definitions.ts'
import { type ModelInput, type ModelView, maxModels } from './schema.ts'

const numberOf = (count: bigint | null) => (count === null ? null : Number(count))

export const modelOf = (row: RoutingModelRow): RoutableModel => ({
  model: row.model,
  provider: row.provider,
  region: row.region,
  capabilities: row.capabilities,
  contextTokens: numberOf(row.context_tokens),
  latencyMs: row.latency_ms,
  enabled: row.enabled,
})

const priceView = (price: Price): ModelView['price'] => ({
  price_id: price.id,
  input_usd_per_million: usdPerMillion(price.inputPico),
  output_usd_per_million: usdPerMillion(price.outputPico),
  cache_read_usd_per_million: usdPerMillion(price.cacheReadPico),
  cache_write_usd_per_million: usdPerMillion(price.cacheWritePico),
  max_output_tokens: price.maxOutputTokens,
})

function viewOf(row: RoutingModelRow, book: PriceBook, nowMs: number): ModelView {
  const price = book.priceOf(row.model, row.provider ?? undefined, nowMs)
  return {
    id: formatId('model', row.id),
    model: row.model,
    provider: row.provider,
    region: row.region,
    capabilities: row.capabilities,
    context_tokens: numberOf(row.context_tokens),
    latency_ms: row.latency_ms,
    enabled: row.enabled,
    price: price ? priceView(price) : null,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

export async function modelViews(tx: Tx, orgId: string, rows: readonly RoutingModelRow[], nowMs: number) {
  const book = await loadPriceBook(tx, orgId)
  return rows.map((row) => viewOf(row, book, nowMs))
}

export async function getModel(tx: Tx, orgId: string, id: string, nowMs: number): Promise<ModelView> {
  const row = await findModel(tx, orgId, id)
  if (!row) throw new ApiError('not_found')
  return viewOf(row, await loadPriceBook(tx, orgId), nowMs)
}

const fieldsOf = (input: ModelInput): ModelFields => ({
  model: input.model,
  provider: input.provider ?? null,
  region: input.region ?? null,
  capabilities: input.capabilities ?? [],
  context_tokens: input.context_tokens ?? null,
  latency_ms: input.latency_ms ?? null,
  enabled: input.enabled ?? true,
})

function assertFree(rows: readonly RoutingModelRow[], name: ModelName) {
  if (rows.some((row) => modelKey(row) === modelKey(name)))
    throw new ApiError('conflict', {}, { message: `The model ${modelDisplayName(name)} already exists.` })
}

/** Refuses to rename or remove a model that a route names, or the route would silently lose it. */
async function assertNotReferenced(tx: Tx, orgId: string, name: ModelName) {
  const naming = (await allRoutes(tx, orgId))
    .map(routeOf)
    .find(({ candidates }) => candidates?.some((candidate) => modelKey(candidate) === modelKey(name)))
  if (naming)
    throw new ApiError(
      'conflict',
      {},
      { message: `The route ${naming.name} names this model. Remove it from the route first, or disable it.` },
    )
}

/** Returns the view for the audit log, without the price, which belongs to the price book. */
const auditView = ({ price: _price, ...view }: ModelView) => view

export async function createModel(
  { tx, audit, accessChanged }: ChangeTools,
  orgId: string,
  input: ModelInput,
  nowMs: number,
): Promise<ModelView> {
  await lockRouting(tx, orgId)
  const fields = fieldsOf(input)
  const rows = await allModels(tx, orgId)
  assertFree(rows, fields)
  if (rows.length >= maxModels)
    throw new ApiError('conflict', {}, { message: `An organization can have at most ${maxModels} models.` })
  const row = await insertModel(tx, orgId, newUuid(), fields)
  const after = viewOf(row, await loadPriceBook(tx, orgId), nowMs)
  audit({ action: 'model.created', target: { kind: 'model', id: after.id }, after: auditView(after) })
  accessChanged()
  return after
}

export async function replaceModel(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<ModelInput>,
  nowMs: number,
): Promise<ModelView> {
  await lockRouting(tx, orgId)
  const before = await getModel(tx, orgId, id, nowMs)
  replaces(before)
  const fields = fieldsOf(wanted(before))
  if (modelKey(before) !== modelKey(fields)) {
    assertFree(await allModels(tx, orgId), fields)
    await assertNotReferenced(tx, orgId, before)
  }
  const row = await updateModel(tx, orgId, id, fields)
  const after = viewOf(row, await loadPriceBook(tx, orgId), nowMs)
  const target = { kind: 'model', id: after.id }
  audit({ action: 'model.updated', target, before: auditView(before), after: auditView(after) })
  accessChanged()
  return after
}

export async function removeModel(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<null> {
  await lockRouting(tx, orgId)
  const before = await getModel(tx, orgId, id, nowMs)
  replaces(before)
  await assertNotReferenced(tx, orgId, before)
  await deleteModel(tx, orgId, id)
  audit({ action: 'model.deleted', target: { kind: 'model', id: before.id }, before: auditView(before) })
  accessChanged()
  return null
}
