import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { publishCatalogAge } from './catalog-age.ts'
import { comparePrices } from './comparison.ts'
import { PriceComparison, PriceComparisonInput } from './comparison-schema.ts'
import { installationPriceRoutes } from './installation-routes.ts'
import { pricesOfModel } from './model-prices.ts'
import { addPrice, getPrice, getPricesBefore, loadPriceBook, removePrice, replacePrice, setPrices } from './prices.ts'
import { NewPrice, OwnPrice, PricePath, Prices, PricesInput, PricesQuery } from './schema.ts'

export function prices(app: App, platform: Platform, change: Change) {
  const { sql, clock, metrics } = platform
  installationPriceRoutes(app, platform, change)
  publishCatalogAge({ metrics, clock })
  const tags = ['limits']
  // What holds cost is no secret from those who ask for them.
  const reading = {
    role: 'viewer',
    scope: 'limits:read',
    orScopes: ['runs:write', 'edge:decide'],
    pinned: 'unaffected',
  } as const

  app.get(
    '/v1/orgs/:id/prices',
    {
      config: reading,
      schema: {
        operationId: 'getPrices',
        tags,
        summary: 'Get the prices of models',
        description:
          'What the tokens of a model cost: your own entries, and the built-in `list_prices`, which are providers’ public list prices as known at release. Your own entries win over them, and between the two stand those that operators set for the whole installation, which are listed with `model` only; behind all stands a catalogue of about 1,500 models, which is listed with `model` only. A model is looked up as it is named, in any spelling, then without a version (`-2024-08-06`, `-20250929`, `@20250929`, `:latest`), as its maker spells what Bedrock and Azure spell otherwise, and without a leading `provider/`.',
        params: OrgPath,
        querystring: PricesQuery,
        response: { 200: Prices },
      },
    },
    ({ caller, query: { model } }) => {
      const { orgId } = caller
      return sql.asOrgs([orgId], async (tx) => {
        const { prices: all, installation } = await getPricesBefore(tx, orgId, clock.now().getTime())
        return model === undefined ? all : pricesOfModel(all, model, installation)
      })
    },
  )

  app.post(
    '/v1/orgs/:id/prices/compare',
    {
      config: { ...reading, ignoresIdempotencyKey: true },
      schema: {
        operationId: 'comparePrices',
        tags,
        summary: 'Compare the cost of models',
        description:
          'What calls of one shape would cost with each of several models, at the prices that are in effect for you now. Nothing is held or recorded.',
        params: OrgPath,
        body: PriceComparisonInput,
        response: { 200: PriceComparison },
      },
    },
    ({ caller, body }) =>
      sql.asOrgs([caller.orgId], async (tx) =>
        comparePrices(await loadPriceBook(tx, caller.orgId), body, clock.now().getTime()),
      ),
  )

  replaceable(
    app,
    '/v1/orgs/:id/prices',
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'Prices',
      put: {
        summary: 'Set the prices of models',
        description:
          'Replaces your own entries and the settings; what is left out returns to its default. They bind the next decision on every process. Of several entries for a model the one for the named provider wins, then the newest in effect. The built-in list prices, known at release, stay behind your own entries.',
      },
      patch: {
        summary: 'Change the prices of models',
        description:
          'Changes the settings that are given and no other; `prices` are replaced as a whole. Otherwise as setting them.',
      },
      params: OrgPath,
      body: PricesInput,
      view: Prices,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => setPrices(tools, orgId, wanted))
    },
  )

  app.post(
    '/v1/orgs/:id/prices',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      schema: {
        operationId: 'createPrice',
        tags,
        summary: 'Add a price of a model',
        description:
          'Adds one entry of your own; 409 where another prices the same model and provider from the same time on.',
        params: OrgPath,
        body: NewPrice,
        response: { 201: OwnPrice },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, (tools) => addPrice(tools, orgId, request.body))
    },
  )

  app.get(
    '/v1/orgs/:id/prices/:price_id',
    {
      config: reading,
      schema: {
        operationId: 'getPrice',
        tags,
        summary: 'Get a price of a model',
        description: 'One of your own entries.',
        params: PricePath,
        response: { 200: OwnPrice },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      return sql.asOrgs([orgId], (tx) => getPrice(tx, orgId, requireId('price', params.price_id)))
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/prices/:price_id',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      tags,
      name: 'Price',
      put: {
        summary: 'Replace a price of a model',
        description: 'What is left out returns to its default; otherwise as changing it.',
      },
      patch: {
        summary: 'Change a price of a model',
        description:
          'Changes the fields that are given and no other, and binds the next decision on every process. Earlier decisions keep the price that they were made with.',
      },
      params: PricePath,
      body: NewPrice,
      view: OwnPrice,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('price', request.params.price_id)
      return change(request, reply, { orgId }, (tools) => replacePrice(tools, orgId, id, wanted))
    },
  )

  app.delete(
    '/v1/orgs/:id/prices/:price_id',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'deletePrice',
        tags,
        summary: 'Remove a price of a model',
        description: 'The list price, if there is one, applies again.',
        params: PricePath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('price', request.params.price_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removePrice(tools, orgId, id))
    },
  )
}
