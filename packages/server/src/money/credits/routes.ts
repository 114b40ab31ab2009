import type { Change } from '../../access/changes/changes.ts'
import { applyPins, isWithinPins, requireWithinPins } from '../../access/identity/identity.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { CustomerPath, customerNamed } from '../customers/customers.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import { createCreditPack, creditPackViews, getCreditPack, voidCreditPack } from './credits.ts'
import { listPacks } from './queries.ts'
import {
  CreditPack,
  CreditPackInput,
  CreditPackList,
  CreditPackListQuery,
  OrgPackListQuery,
  PackPath,
} from './schema.ts'

export function credits(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.post(
    '/v1/orgs/:id/customers/:customer_id/credit-packs',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
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
      const { orgId } = request.caller
      const customer_id = customerNamed(request.params.customer_id)
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        createCreditPack(tools, orgId, customer_id, request.body),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/customers/:customer_id/credit-packs',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
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
    ({ caller, params, query }) => {
      const { orgId } = caller
      requireWithinPins(caller, params)
      const asked = pageRequest(query, 'created_at')
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const rows = await listPacks(tx, orgId, asked, {
          owner: customerNamed(params.customer_id),
          status: query.status,
        })
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await creditPackViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/credit-packs',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
      schema: {
        operationId: 'listOrgCreditPacks',
        tags,
        summary: 'List the credits of all customers',
        description: 'All packs, used up, expired and voided ones too.',
        params: OrgPath,
        querystring: OrgPackListQuery,
        response: { 200: CreditPackList },
      },
    },
    ({ caller, query }) => {
      const { orgId } = caller
      const { customer_id, status } = query
      const own = applyPins(customer_id === undefined ? {} : { customer_id }, caller)
      // A pack counts everything that its customer spends, which no other pin covers.
      requireWithinPins(caller, own)
      const asked = pageRequest(query, 'created_at')
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const rows = await listPacks(tx, orgId, asked, { owner: own.customer_id, status })
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await creditPackViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/credit-packs/:pack_id',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
      schema: {
        operationId: 'getCreditPack',
        tags,
        summary: 'Get a pack of credits',
        description: 'One pack, whatever became of it; for 400 days after its end.',
        params: PackPath,
        response: { 200: CreditPack },
      },
    },
    ({ caller, params }) => {
      const { orgId, pins } = caller
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const pack = await getCreditPack(tx, orgId, nowMs, requireId('creditPack', params.pack_id))
        return pack && isWithinPins(pins, { customer_id: pack.customer_id }) ? pack : undefined
      })
    },
  )

  app.post(
    '/v1/orgs/:id/credit-packs/:pack_id/void',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      schema: {
        operationId: 'voidCreditPack',
        tags,
        summary: 'Void a pack of credits',
        description:
          'Nothing more is drawn from it; what is reserved now ends as it would have. One that has expired is 409.',
        params: PackPath,
        response: { 200: CreditPack },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('creditPack', request.params.pack_id)
      return change(request, reply, { orgId }, (tools) => voidCreditPack(tools, orgId, id))
    },
  )
}
