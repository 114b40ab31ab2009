import type { Change } from '../changes/changes.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import { JournalEntry } from '../ledger/ledger.ts'
import { adjust } from './adjustments.ts'
import { AdjustmentInput } from './schema.ts'

export function adjustments(app: App, change: Change) {
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
      change(request, reply, { orgId: request.principal!.orgId, status: 201 }, (tools) =>
        adjust(tools, request.principal!, request.body),
      ),
  )
}
