import type { Change } from '../../access/changes/changes.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import {
  AdjustmentListQuery,
  AdjustmentPath,
  getAdjustment,
  Journal,
  JournalEntry,
  listJournal,
} from '../journal/journal.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import { adjust } from './adjustments.ts'
import { AdjustmentInput } from './schema.ts'

export function adjustments(app: App, { sql }: Platform, change: Change) {
  const reading = { role: 'viewer', scope: 'limits:read', pinned: 'filtered' } as const

  app.post(
    '/v1/orgs/:id/ledger/adjustments',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'createAdjustment',
        tags: ['ledger'],
        summary: 'Adjust what is spent',
        description:
          'Corrects what a limit shows as spent in one period: a refund, or what was spent before Weir. Booked in the journal with its reason.',
        params: OrgPath,
        body: AdjustmentInput,
        response: { 201: JournalEntry },
      },
    },
    (request, reply) =>
      change(request, reply, { orgId: request.caller.orgId, status: 201 }, (tools) =>
        adjust(tools, request.caller, request.body),
      ),
  )

  app.get(
    '/v1/orgs/:id/ledger/adjustments',
    {
      config: { ...reading, expensive: true },
      schema: {
        operationId: 'listAdjustments',
        tags: ['ledger'],
        summary: 'List adjustments',
        description: 'The corrections in the journal, for as long as it is kept.',
        params: OrgPath,
        querystring: AdjustmentListQuery,
        response: { 200: Journal },
      },
    },
    ({ caller, query }) => sql.asOrgs([caller.orgId], (tx) => listJournal(tx, caller, { ...query, kind: 'adjust' })),
  )

  app.get(
    '/v1/orgs/:id/ledger/adjustments/:adjustment_id',
    {
      config: reading,
      schema: {
        operationId: 'getAdjustment',
        tags: ['ledger'],
        summary: 'Get an adjustment',
        description: 'One correction, with who made it and why.',
        params: AdjustmentPath,
        response: { 200: JournalEntry },
      },
    },
    ({ caller, params }) =>
      readAtDatabaseTime(sql, caller.orgId, (tx) => getAdjustment(tx, caller, params.adjustment_id)),
  )
}
