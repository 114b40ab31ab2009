import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { classFor, ensureRunPartitions } from '../run-log/run-log.ts'
import { getPolicy, putPolicy } from './retention.ts'
import { RetentionPolicy, RetentionPolicyInput } from './schema.ts'

export function retention(app: App, { sql, clock }: Platform, change: Change) {
  const tags = ['runs']

  app.get(
    '/v1/orgs/:id/retention-policy',
    {
      config: { role: 'viewer', scope: 'runs:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getRetentionPolicy',
        tags,
        summary: 'Get the retention policy',
        description: 'How long runs are kept; 90 days where nothing else was set.',
        params: OrgPath,
        response: { 200: RetentionPolicy },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getPolicy(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/retention-policy',
    {
      config: { role: 'admin', scope: 'runs:write' },
      tags,
      name: 'RetentionPolicy',
      put: {
        summary: 'Set the retention policy',
        description:
          'Runs older than `raw_days` are no longer shown from now on. How long they are stored changes for runs that are recorded after this; those stored for a shorter time before are not brought back. Usage and the journal are kept whatever is set here.',
      },
      patch: {
        summary: 'Change the retention policy',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: OrgPath,
      body: RetentionPolicyInput,
      view: RetentionPolicy,
    },
    async (request, reply, wanted) => {
      const { orgId } = request.caller
      const { raw_days } = request.body as Partial<RetentionPolicyInput>
      // Before the change, so that nobody waits for partitions under the organization's lock.
      if (raw_days !== undefined) await ensureRunPartitions(sql, clock.now(), [classFor(raw_days)])
      return change(request, reply, { orgId }, (tools) => putPolicy(tools, orgId, wanted))
    },
  )
}
