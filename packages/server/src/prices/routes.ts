import type { Change } from '../changes/changes.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { lockLedger } from '../ledger/ledger.ts'
import { getPrices, putPrices, recordOf } from './prices.ts'
import { Prices, PricesInput } from './schema.ts'

export function prices(app: App, { sql, clock }: Platform, change: Change) {
  const tags = ['limits']

  app.get(
    '/v1/orgs/:id/prices',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getPrices',
        tags,
        summary: 'Get the prices of models',
        description:
          'What the tokens of a model cost: your own entries, and the built-in `list_prices`, which are providers’ public list prices as known at release. Your own entries win over them. A model is looked up as it is named, then without a version (`-2024-08-06`, `-20250929`, `@20250929`, `:latest`) and without a leading `provider/`.',
        params: OrgPath,
        response: { 200: Prices },
      },
    },
    ({ principal }) => {
      const { orgId } = principal!
      return sql.asOrgs([orgId], (tx) => getPrices(tx, orgId, clock.now().getTime()))
    },
  )

  app.put(
    '/v1/orgs/:id/prices',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'putPrices',
        tags,
        summary: 'Set the prices of models',
        description:
          'Replaces your own entries and the settings; what is left out returns to its default. They bind the next decision on every process. Of several entries for a model the one for the named provider wins, then the newest in effect. The built-in list prices, known at release, stay behind your own entries.',
        params: OrgPath,
        body: PricesInput,
        response: { 200: Prices },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId }, async ({ tx, audit }) => {
        const nowMs = await lockLedger(tx, orgId)
        const before = await getPrices(tx, orgId, nowMs)
        await putPrices(tx, orgId, request.body)
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
}
