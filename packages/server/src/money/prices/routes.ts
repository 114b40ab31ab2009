import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { lockLedgerForConfigChange } from '../ledger/ledger.ts'
import { publishCatalogAge } from './catalog-age.ts'
import { addPrice, getPrice, getPrices, putPrices, recordOf, removePrice, replacePrice } from './prices.ts'
import { NewPrice, OwnPrice, PricePath, Prices, PricesInput } from './schema.ts'

export function prices(app: App, { sql, clock, metrics }: Platform, change: Change) {
  publishCatalogAge({ metrics, clock })
  const tags = ['limits']

  app.get(
    '/v1/orgs/:id/prices',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getPrices',
        tags,
        summary: 'Get the prices of models',
        description:
          'What the tokens of a model cost: your own entries, and the built-in `list_prices`, which are providers’ public list prices as known at release. Your own entries win over them; behind both stands a catalogue of about 1,500 models, which is not listed here. A model is looked up as it is named, in any spelling, then without a version (`-2024-08-06`, `-20250929`, `@20250929`, `:latest`), as its maker spells what Bedrock and Azure spell otherwise, and without a leading `provider/`.',
        params: OrgPath,
        response: { 200: Prices },
      },
    },
    ({ caller }) => {
      const { orgId } = caller
      return sql.asOrgs([orgId], (tx) => getPrices(tx, orgId, clock.now().getTime()))
    },
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
      return change(request, reply, { orgId }, async ({ tx, audit, replaces }) => {
        const nowMs = await lockLedgerForConfigChange(tx, orgId)
        const before = await getPrices(tx, orgId, nowMs)
        replaces(before)
        await putPrices(tx, orgId, wanted(before))
        const after = await getPrices(tx, orgId, nowMs)
        audit({
          action: 'prices.changed',
          target: { kind: 'org', id: request.params.id },
          before: recordOf(before),
          after: recordOf(after),
        })
        return after
      })
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
      config: { role: 'viewer', scope: 'limits:read', pinned: 'unaffected' },
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
