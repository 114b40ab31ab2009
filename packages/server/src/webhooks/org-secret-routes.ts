import type { Change } from '../changes/changes.ts'
import type { App } from '../contract/routes.ts'
import { AdminOrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { parseId } from '../values/id.ts'
import { getOrgSecret, rotateOrgSecret } from './org-secret.ts'
import { OrgSecret, OrgSecretRotation } from './schema.ts'
import type { WebhookSecrets } from './secrets.ts'

/** The organization's shared secret; that these routes are deprecated is said by the registry, not here. */
export function orgSecretRoutes(app: App, { sql }: Platform, change: Change, secrets: WebhookSecrets) {
  const tags = ['webhooks']

  app.get(
    '/v1/admin/orgs/:org_id/webhook-secret',
    {
      // Whoever has the secret can sign in the service's name: that is more than reading.
      config: { role: 'operator', scope: 'admin:write', tenant: { role: 'admin', scope: 'webhooks:write' } },
      schema: {
        operationId: 'getOrgWebhookSecret',
        tags,
        summary: 'Get the organization’s webhook secret',
        description:
          'The secret that signs the deliveries of all subscriptions without one of their own. Answers operators, and the organization’s own `owner` and `admin`.',
        params: AdminOrgPath,
        response: { 200: OrgSecret },
      },
    },
    ({ params }) => {
      const orgId = parseId('org', params.org_id)!
      return sql.asOrgs([orgId], (tx) => getOrgSecret(tx, secrets, orgId))
    },
  )

  app.post(
    '/v1/admin/orgs/:org_id/webhook-secret/rotate',
    {
      config: { role: 'operator', scope: 'admin:write', tenant: { role: 'admin', scope: 'webhooks:write' } },
      schema: {
        operationId: 'rotateOrgWebhookSecret',
        tags,
        summary: 'Rotate the organization’s webhook secret',
        description:
          'Replaces the shared secret at once. Where every subscription has a secret of its own nothing is changed, and `rotated` is false. Answers operators, and the organization’s own `owner` and `admin`.',
        params: AdminOrgPath,
        response: { 200: OrgSecretRotation },
      },
    },
    (request, reply) => {
      const orgId = parseId('org', request.params.org_id)!
      return change(request, reply, { orgId }, (tools) => rotateOrgSecret(tools, secrets, orgId))
    },
  )
}
