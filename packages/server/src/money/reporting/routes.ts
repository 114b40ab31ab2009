import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { listReporting } from './reporting.ts'
import { KeyReportingList, ReportingQuery } from './schema.ts'

export function reporting(app: App, { sql }: Platform) {
  app.get(
    '/v1/orgs/:id/key-reporting',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'listKeyReporting',
        tags: ['limits'],
        summary: 'List what keys leave unreported',
        description:
          'By key with its rotations: reservations that nobody reported, that were released by hand, that cost more than was held, and that were reported late.',
        params: OrgPath,
        querystring: ReportingQuery,
        response: { 200: KeyReportingList },
      },
    },
    ({ caller, query: { days = 30, limit = 100 } }) =>
      sql.asOrgs([caller.orgId], (tx) => listReporting(tx, caller.orgId, days, limit)),
  )
}
