import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { requireWithinPins } from '../../access/identity/identity.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { OrNotSet, replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import {
  customerLimitViews,
  customerNamed,
  deleteCustomerDefault,
  deleteCustomerLimit,
  getCustomerDefault,
  getCustomerLimit,
  putCustomerDefault,
  putCustomerLimit,
} from './customers.ts'
import { listCustomerLimits } from './queries.ts'
import {
  CustomerDefault,
  CustomerDefaultInput,
  CustomerLimit,
  CustomerLimitInput,
  CustomerLimitList,
  CustomerLimitListQuery,
  CustomerPath,
} from './schema.ts'

export function customers(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']
  const removed = { 204: Type.Null({ description: 'Removed.' }) }

  app.get(
    '/v1/orgs/:id/customers/:customer_id/limit',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
      schema: {
        operationId: 'getCustomerLimit',
        tags,
        summary: 'Get the limit of a customer',
        description:
          'The customer’s own limit; null in every field where it has none, whether or not there is a default.',
        params: CustomerPath,
        response: { 200: OrNotSet(CustomerLimit) },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      requireWithinPins(caller, params)
      return readAtDatabaseTime(sql, orgId, (tx, nowMs) =>
        getCustomerLimit(tx, orgId, nowMs, customerNamed(params.customer_id)),
      )
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/customers/:customer_id/limit',
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'CustomerLimit',
      put: {
        summary: 'Set the limit of a customer',
        description:
          'In place of the default. What the customer has spent under this limit goes on counting; another schedule begins where the running period ends. A time zone or an anchor that is set must be named again.',
      },
      patch: {
        summary: 'Change the limit of a customer',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: CustomerPath,
      body: CustomerLimitInput,
      view: CustomerLimit,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const customer_id = customerNamed(request.params.customer_id)
      const keepsNext = request.takenBack.has('next_schedule')
      return change(request, reply, { orgId }, (tools) =>
        putCustomerLimit(tools, orgId, customer_id, wanted, keepsNext),
      )
    },
  )

  app.delete(
    '/v1/orgs/:id/customers/:customer_id/limit',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'deleteCustomerLimit',
        tags,
        summary: 'Remove the limit of a customer',
        description: 'The default, if there is one, applies again.',
        params: CustomerPath,
        response: removed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const customer_id = customerNamed(request.params.customer_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteCustomerLimit(tools, orgId, customer_id))
    },
  )

  app.get(
    '/v1/orgs/:id/customer-limits',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'listCustomerLimits',
        tags,
        summary: 'List the limits of customers',
        description: 'The customers with limits of their own, each with how much is used.',
        params: OrgPath,
        querystring: CustomerLimitListQuery,
        response: { 200: CustomerLimitList },
      },
    },
    ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest<'created_at' | 'customer_id'>(query, 'created_at')
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const rows = await listCustomerLimits(tx, orgId, asked, query)
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await customerLimitViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/customer-limit-default',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getCustomerLimitDefault',
        tags,
        summary: 'Get the default limit of customers',
        description:
          'The amounts used are those of the allowance that too many new customers of a day share. null in every field where there is no default.',
        params: OrgPath,
        response: { 200: OrNotSet(CustomerDefault) },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx, nowMs) => getCustomerDefault(tx, caller.orgId, nowMs)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/customer-limit-default',
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'CustomerLimitDefault',
      put: {
        summary: 'Set the default limit of customers',
        description:
          'For each customer without a limit of its own, from the next decision on. A time zone or an anchor that is set must be named again.',
      },
      patch: {
        summary: 'Change the default limit of customers',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: OrgPath,
      body: CustomerDefaultInput,
      view: CustomerDefault,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const keepsNext = request.takenBack.has('next_schedule')
      return change(request, reply, { orgId }, (tools) => putCustomerDefault(tools, orgId, wanted, keepsNext))
    },
  )

  app.delete(
    '/v1/orgs/:id/customer-limit-default',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'deleteCustomerLimitDefault',
        tags,
        summary: 'Remove the default limit of customers',
        description: 'Customers without a limit of their own have none.',
        params: OrgPath,
        response: removed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteCustomerDefault(tools, orgId))
    },
  )
}
