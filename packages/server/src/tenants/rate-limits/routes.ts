import type { Change } from '../../access/changes/changes.ts'
import { orgExists } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { AdminOrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { lockOrg } from '../orgs/orgs.ts'
import { getRateLimits, putRateLimits } from './rate-limits.ts'
import { RateLimits, RateLimitsInput } from './schema.ts'

export function rateLimits(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']
  describeTag(app, 'limits', 'Rate limits of an organization.')

  const orgOf = async (id: string) => {
    const orgId = requireId('org', id)
    if (!(await orgExists(sql, orgId))) throw new ApiError('not_found')
    return orgId
  }

  app.get(
    '/v1/admin/orgs/:org_id/rate-limits',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getRateLimits',
        tags,
        summary: 'Get the rate limits of an organization',
        description: 'Its reads per minute, its behaviour while Redis is unavailable, and its policies.',
        params: AdminOrgPath,
        response: { 200: RateLimits },
      },
    },
    async ({ params }) => {
      const orgId = await orgOf(params.org_id)
      return sql.asOrgs([orgId], (tx) => getRateLimits(tx, orgId))
    },
  )

  replaceable(
    app,
    '/v1/admin/orgs/:org_id/rate-limits',
    {
      config: { role: 'operator', scope: 'admin:write' },
      tags,
      name: 'RateLimits',
      put: {
        summary: 'Set the rate limits of an organization',
        description: 'Replaces them. They apply to the next request on every process.',
      },
      patch: {
        summary: 'Change the rate limits of an organization',
        description: 'Changes only the given fields; `policies` are replaced as a whole.',
      },
      params: AdminOrgPath,
      body: RateLimitsInput,
      view: RateLimits,
    },
    async (request, reply, wanted) => {
      const orgId = await orgOf(request.params.org_id)
      return change(request, reply, { orgId }, async ({ tx, audit, replaces, accessChanged }) => {
        await lockOrg(tx, orgId)
        const before = await getRateLimits(tx, orgId)
        replaces(before)
        const after = await putRateLimits(tx, orgId, wanted(before))
        audit({ action: 'rate_limits.changed', target: { kind: 'org', id: request.params.org_id }, before, after })
        accessChanged()
        return after
      })
    },
  )
}
