import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { changeOrg, residencyFields } from './orgs.ts'
import { Org, type OrgView, Residency, ResidencyInput } from './schema.ts'

/** Registers the routes by which an owner binds the organization to its region. */
export function residencyRoutes(
  app: App,
  { config: { region } }: Pick<Platform, 'config'>,
  change: Change,
  found: (orgId: string) => Promise<OrgView>,
) {
  const tags = ['orgs']
  const path = '/v1/orgs/:id/residency'

  app.get(
    path,
    {
      config: { role: 'viewer', scope: 'orgs:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getResidency',
        tags,
        summary: 'Get the residency',
        description: 'Where the organization’s requests may be served.',
        params: OrgPath,
        response: { 200: Residency },
      },
    },
    async ({ caller }) => {
      const { residency, home_region } = await found(caller.orgId)
      return { residency, home_region }
    },
  )

  replaceable(
    app,
    path,
    {
      config: { role: 'owner', scope: 'orgs:write', errors: ['conflict'] },
      tags,
      name: 'Residency',
      put: {
        summary: 'Set the residency',
        description:
          'Binds the organization to its region, or no longer. It applies here at once, and in other cells within two seconds. `strict` is 409 `conflict` where the installation names no region (`SVC_REGION`).',
      },
      patch: { summary: 'Change the residency', description: 'It is one field: same as setting it.' },
      params: OrgPath,
      body: ResidencyInput,
      view: Org,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const fields = (before: OrgView) => residencyFields(region, wanted(before))
      return change(request, reply, { orgId }, (tools) => changeOrg(tools, orgId, 'org.residency_changed', fields))
    },
  )
}
