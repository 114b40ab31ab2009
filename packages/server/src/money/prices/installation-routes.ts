import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { getInstallationPrices, putInstallationPrices } from './installation-prices.ts'
import { InstallationPrices, InstallationPricesInput } from './installation-schema.ts'

export function installationPriceRoutes(app: App, { sql }: Platform, change: Change) {
  const path = '/v1/admin/prices'
  const tags = ['limits']

  app.get(
    path,
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getInstallationPrices',
        tags,
        summary: 'Get the prices of the installation',
        description: 'Entries for every organization, between its own and the built-in ones.',
        response: { 200: InstallationPrices },
      },
    },
    () => sql.asOrgs([operatorsOrgId], getInstallationPrices),
  )

  replaceable(
    app,
    path,
    {
      config: { role: 'operator', scope: 'admin:write' },
      tags,
      name: 'InstallationPrices',
      put: {
        summary: 'Set the prices of the installation',
        description:
          'Replaces the entries for every organization. An organization’s own entries win over them, and they win over the built-in ones. They bind the next decision of every organization on every process, and no decision runs while they are written.',
      },
      patch: {
        summary: 'Change the prices of the installation',
        description: 'The same: `prices` are replaced as a whole.',
      },
      body: InstallationPricesInput,
      view: InstallationPrices,
    },
    (request, reply, wanted) =>
      change(request, reply, { orgId: request.caller.orgId }, (tools) => putInstallationPrices(tools, wanted)),
  )
}
