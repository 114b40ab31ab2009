import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { SessionPolicy, SessionPolicyInput } from './schema.ts'
import { getPolicy, putPolicy } from './session-policy.ts'

export function sessionPolicy(app: App, { sql }: Platform, change: Change) {
  const tags = ['sessions']

  app.get(
    '/v1/orgs/:id/session-policy',
    {
      config: { role: 'admin', scope: 'keys:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getSessionPolicy',
        tags,
        summary: 'Get the session policy',
        description: 'What the organization demands of sessions, beyond what the installation does.',
        params: OrgPath,
        response: { 200: SessionPolicy },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getPolicy(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/session-policy',
    {
      config: { role: 'owner', scope: 'keys:write' },
      tags,
      name: 'SessionPolicy',
      put: {
        summary: 'Set the session policy',
        description:
          'Binds the sessions that there are, too, at their next request on every process. A longer time later brings no session back.',
      },
      patch: {
        summary: 'Change the session policy',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: OrgPath,
      body: SessionPolicyInput,
      view: SessionPolicy,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => putPolicy(tools, orgId, wanted))
    },
  )
}
