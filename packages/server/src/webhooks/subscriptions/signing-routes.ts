import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import type { WebhookSecrets } from '../signing/secrets.ts'
import { findSubscription } from './queries.ts'
import { RotateSigningInput, Signing, SigningWithSecret, SubscriptionPath } from './schema.ts'
import { rotateSigning, signingView } from './signing.ts'

export function signingRoutes(app: App, { sql, clock }: Platform, change: Change, secrets: WebhookSecrets) {
  const tags = ['webhooks']

  app.get(
    '/v1/orgs/:id/webhooks/:sub_id/signing',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhookSigning',
        tags,
        summary: 'Get the signing of deliveries',
        description: 'Returns how the deliveries of a subscription are signed now, without its secret.',
        params: SubscriptionPath,
        response: { 200: Signing },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const id = requireId('subscription', params.sub_id)
      const row = await sql.asOrgs([orgId], (tx) => findSubscription(tx, orgId, id))
      if (!row) throw new ApiError('not_found')
      return signingView(row, clock.now().getTime())
    },
  )

  app.post(
    '/v1/orgs/:id/webhooks/:sub_id/signing/rotate',
    {
      config: { role: 'admin', scope: 'webhooks:write' },
      schema: {
        operationId: 'rotateWebhookSigning',
        tags,
        summary: 'Create or rotate the signing secret',
        description:
          'Creates the subscription’s own secret, or replaces it. From the next attempt on, deliveries are signed with it (`t=…,v1=…`), and for `overlap_seconds` also with the previous one. `secret` is shown only in this response.',
        params: SubscriptionPath,
        body: RotateSigningInput,
        response: { 200: SigningWithSecret },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const asked = {
        orgId,
        subscriptionId: requireId('subscription', request.params.sub_id),
        overlapSeconds: request.body.overlap_seconds ?? 0,
      }
      return change(request, reply, { orgId }, (tools) => rotateSigning(tools, secrets, clock.now().getTime(), asked))
    },
  )
}
