import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { listJournal } from './journal.ts'
import { Journal, JournalQuery } from './schema.ts'

export function journal(app: App, { sql }: Platform) {
  describeTag(app, 'ledger', 'Every movement of money, and corrections.')

  app.get(
    '/v1/orgs/:id/ledger',
    {
      config: { role: 'viewer', scope: 'limits:read', expensive: true, pinned: 'filtered' },
      schema: {
        operationId: 'listLedger',
        tags: ['ledger'],
        summary: 'List the journal',
        description:
          'Every movement on every limit, in the order in which it was booked. The sum of the movements on a limit is what it shows as spent and held. Kept for 35 days.',
        params: OrgPath,
        querystring: JournalQuery,
        response: { 200: Journal },
      },
    },
    ({ caller, query }) => sql.asOrgs([caller.orgId], (tx) => listJournal(tx, caller, query)),
  )
}
