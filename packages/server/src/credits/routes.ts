import type { Change } from '../changes/changes.ts'
import { page, pageRequest } from '../contract/lists.ts'
import type { App } from '../contract/routes.ts'
import { CustomerPath } from '../customers/customers.ts'
import type { Platform } from '../infra/platform.ts'
import { readNow } from '../ledger/ledger.ts'
import { parseId } from '../values/id.ts'
import { createCreditPack, creditPackViews, voidCreditPack } from './credits.ts'
import { listPacks } from './queries.ts'
import { CreditPack, CreditPackInput, CreditPackList, CreditPackListQuery, PackPath } from './schema.ts'

export function credits(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.post(
    '/v1/orgs/:id/customers/:customer_id/credit-packs',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'createCreditPack',
        tags,
        summary: 'Give a customer credits',
        description:
          'A customer with packs spends no more than they hold: by priority, then what expires first, then what is oldest.',
        params: CustomerPath,
        body: CreditPackInput,
        response: { 201: CreditPack },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      const { customer_id } = request.params
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        createCreditPack(tools, orgId, customer_id, request.body),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/customers/:customer_id/credit-packs',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'listCreditPacks',
        tags,
        summary: 'List the credits of a customer',
        description: 'All packs, used up, expired and voided ones too.',
        params: CustomerPath,
        querystring: CreditPackListQuery,
        response: { 200: CreditPackList },
      },
    },
    ({ principal, params, query }) => {
      const { orgId } = principal!
      const asked = pageRequest(query, 'created_at')
      return readNow(sql, orgId, async (tx, nowMs) => {
        const rows = await listPacks(tx, orgId, params.customer_id, asked)
        const answer = page(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await creditPackViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.post(
    '/v1/orgs/:id/credit-packs/:pack_id/void',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'voidCreditPack',
        tags,
        summary: 'Void a pack of credits',
        description: 'Nothing more is drawn from it; what is reserved now ends as it would have.',
        params: PackPath,
        response: { 200: CreditPack },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      const id = parseId('creditPack', request.params.pack_id)!
      return change(request, reply, { orgId }, (tools) => voidCreditPack(tools, orgId, id))
    },
  )
}
