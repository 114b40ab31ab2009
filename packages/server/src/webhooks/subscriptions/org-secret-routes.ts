import type { Change } from '../../access/changes/changes.ts'
import type { App } from '../../contract/routes.ts'
import { AdminOrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import type { WebhookSecrets } from '../signing/secrets.ts'
import { getOrgSecret, rotateOrgSecret } from './org-secret.ts'
import { OrgSecret, OrgSecretRotation } from './schema.ts'

/** The routes of the organization's shared secret. Their deprecation is declared in the registry, not here. */
export function orgSecretRoutes(app: App, { sql }: Platform, change: Change, secrets: WebhookSecrets) {
  const tags = ['webhooks']

  app.get(
    '/v1/admin/orgs/:org_id/webhook-secret',
    {
      // The holder of the secret can sign in the service's name, which is more than read access.
      config: { role: 'operator', scope: 'admin:write', tenant: { role: 'admin', scope: 'webhooks:write' } },
      schema: {
        operationId: 'getOrgWebhookSecret',
        tags,
        summary: 'Get the organization’s webhook secret',
        description:
          'Returns the secret that signs the deliveries of all subscriptions without their own secret. Available to operators, and to the organization’s own `owner` and `admin`.',
        params: AdminOrgPath,
        response: { 200: OrgSecret },
      },
    },
    ({ params }) => {
      const orgId = requireId('org', params.org_id)
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
          'Replaces the shared secret immediately. When every subscription has its own secret, nothing changes and `rotated` is `false`. Available to operators, and to the organization’s own `owner` and `admin`.',
        params: AdminOrgPath,
        response: { 200: OrgSecretRotation },
      },
    },
    (request, reply) => {
      const orgId = requireId('org', request.params.org_id)
      return change(request, reply, { orgId }, (tools) => rotateOrgSecret(tools, secrets, orgId))
    },
  )
}
