import { Readable } from 'node:stream'
import type { Cursors } from '../../contract/cursors.ts'
import { pageRequest, readWindow } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { exportAudit, listAudit, loadVerifyingKeyring, verifyAudit } from './audit.ts'
import { exportWindow } from './export.ts'
import { formats } from './formats.ts'
import { formatAuditPosition, parseAuditPosition } from './position.ts'
import {
  AuditExport,
  AuditExportQuery,
  AuditLog,
  AuditLogQuery,
  AuditVerification,
  AuditVerifyQuery,
} from './schema.ts'

const verifySeconds = 5

/** Audit logs: an organization's, read by its own keys, and the operators', read by operators. */
const surfaces = [
  {
    path: '/v1/orgs/:id',
    whose: '',
    access: { role: 'admin', scope: 'audit:read' },
    params: { params: OrgPath },
  },
  { path: '/v1/admin', whose: 'Operator', access: { role: 'operator', scope: 'admin:read' }, params: {} },
] as const

/** Routes of the audit log. */
export function audit(app: App, { sql, config, clock }: Platform, cursors: Cursors) {
  const tags = ['audit']
  describeTag(app, 'audit', 'The tamper-evident record of changes and denied attempts.')

  for (const { path, whose, access, params } of surfaces) {
    app.get(
      `${path}/audit-log`,
      {
        config: { ...access, expensive: true },
        schema: {
          operationId: `list${whose}AuditLog`,
          tags,
          summary: 'List audit entries',
          description:
            'Changes, denied attempts and requests under support grants; oldest first unless sorted otherwise.',
          ...params,
          querystring: AuditLogQuery,
          response: { 200: AuditLog },
        },
      },
      ({ caller, query }) => {
        const { from, to, ...filters } = query
        const window = {
          ...(from !== undefined && { from: new Date(from) }),
          ...(to !== undefined && { to: new Date(to) }),
        }
        return sql.asOrgs([caller.orgId], (tx) =>
          listAudit(tx, caller.orgId, pageRequest(query, 'created_at'), { ...filters, ...window }),
        )
      },
    )

    app.get(
      `${path}/audit-log/export`,
      {
        config: { ...access, urgency: 'export', expensive: true },
        schema: {
          operationId: `export${whose}AuditLog`,
          tags,
          summary: 'Export audit entries',
          description:
            'Streams the entries of a window of at most 90 days, by default the last 90. Each line has a `cursor`; an interrupted export can be resumed after the last line received, and then has no header line. NDJSON lines contain everything that offline verification needs.',
          ...params,
          querystring: AuditExportQuery,
          response: { 200: AuditExport },
        },
      },
      (request, reply) => {
        const { format = 'ndjson', cursor } = request.query
        const window = readWindow(request.query, exportWindow(request.query, clock.now()))
        const { orgId } = request.caller
        reply.type(formats[format].contentType)
        // The framework would read the whole stream to discard it; from an empty text it would take the length.
        if (request.method === 'HEAD') return Readable.from([])
        const after = cursor === undefined ? undefined : parseAuditPosition(cursor)
        return Readable.from(
          exportAudit(sql, orgId, window, format, after, (place) => cursors.seal(request, formatAuditPosition(place))),
        )
      },
    )

    app.get(
      `${path}/audit-log/verify`,
      {
        config: { ...access, urgency: 'export', expensive: true },
        schema: {
          operationId: `verify${whose}AuditLog`,
          tags,
          summary: 'Verify the audit log',
          description: 'Recomputes the chain of seals and returns the first entry that differs from what was written.',
          ...params,
          querystring: AuditVerifyQuery,
          response: { 200: AuditVerification },
        },
      },
      async ({ caller, query: { cursor } }) => {
        const endMs = performance.now() + verifySeconds * 1_000
        const keyring = await loadVerifyingKeyring(sql, config.masterKeys())
        const { next, ...answer } = await verifyAudit(sql, keyring, caller.orgId, {
          after: cursor === undefined ? undefined : parseAuditPosition(cursor),
          isTimeUp: () => performance.now() > endMs,
        })
        return { ...answer, next_cursor: next && formatAuditPosition(next) }
      },
    )
  }
}
