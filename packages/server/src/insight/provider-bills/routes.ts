import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { createBillThread } from './bill-thread.ts'
import { findReconciliation, listReconciliations } from './queries.ts'
import {
  compareFiles,
  reconciliationView,
  removeReconciliation,
  storeReconciliation,
  summaryOf,
} from './reconciliations.ts'
import {
  Reconciliation,
  ReconciliationInput,
  ReconciliationList,
  ReconciliationListQuery,
  ReconciliationPath,
} from './schema.ts'

/** Bills of providers, compared with runs. */
export function providerBills(app: App, platform: Platform, change: Change) {
  const { sql } = platform
  const tags = ['usage']
  const thread = createBillThread()
  app.addHook('onClose', () => thread.close())

  app.post(
    '/v1/orgs/:id/reconciliations',
    {
      config: { role: 'admin', scope: 'usage:write', errors: ['conflict'], bulk: true, expensive: true },
      schema: {
        operationId: 'createReconciliation',
        tags,
        summary: 'Reconcile the bill of a provider',
        description:
          'Reads exports of costs and usage of OpenAI or Anthropic and compares them with the runs of their days, by UTC day and model. Amounts are compared to the nano-dollar. Only the result is kept, with the digests of the files; no run, limit or price changes. At most 90 days, and 200 reconciliations.',
        params: OrgPath,
        body: ReconciliationInput,
        response: { 201: Reconciliation },
      },
    },
    async (request, reply) => {
      const { caller, body } = request
      const compared = await compareFiles(platform, thread, caller.orgId, body)
      return change(request, reply, { orgId: caller.orgId, status: 201 }, (tools) =>
        storeReconciliation(tools, caller, compared),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/reconciliations',
    {
      config: { role: 'viewer', scope: 'usage:read' },
      schema: {
        operationId: 'listReconciliations',
        tags,
        summary: 'List reconciliations',
        description: 'The bills that were compared, without their differences. Kept for 800 days.',
        params: OrgPath,
        querystring: ReconciliationListQuery,
        response: { 200: ReconciliationList },
      },
    },
    async ({ caller, query }) => {
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([caller.orgId], (tx) => listReconciliations(tx, caller.orgId, asked))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(summaryOf) }
    },
  )

  app.get(
    '/v1/orgs/:id/reconciliations/:reconciliation_id',
    {
      config: { role: 'viewer', scope: 'usage:read' },
      schema: {
        operationId: 'getReconciliation',
        tags,
        summary: 'Get a reconciliation',
        description: 'One bill with its differences, as they were found.',
        params: ReconciliationPath,
        response: { 200: Reconciliation },
      },
    },
    async ({ caller, params }) => {
      const id = requireId('reconciliation', params.reconciliation_id)
      const row = await sql.asOrgs([caller.orgId], (tx) => findReconciliation(tx, caller.orgId, id))
      if (!row) throw new ApiError('not_found')
      return reconciliationView(row)
    },
  )

  app.delete(
    '/v1/orgs/:id/reconciliations/:reconciliation_id',
    {
      config: { role: 'admin', scope: 'usage:write' },
      schema: {
        operationId: 'deleteReconciliation',
        tags,
        summary: 'Delete a reconciliation',
        description: 'Deletes what was found. Its totals and the digests of its files stay in the audit log.',
        params: ReconciliationPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('reconciliation', request.params.reconciliation_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeReconciliation(tools, orgId, id))
    },
  )
}
