import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { operatorsOrgId, requireId } from '../../values/id.ts'
import {
  addInstallationPrice,
  getInstallationPrice,
  getInstallationPrices,
  putInstallationPrices,
  removeInstallationPrice,
  replaceInstallationPrice,
} from './installation-prices.ts'
import { InstallationPricePath, InstallationPrices, InstallationPricesInput } from './installation-schema.ts'
import { NewPrice, OwnPrice } from './schema.ts'

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

  app.post(
    path,
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict'] },
      schema: {
        operationId: 'createInstallationPrice',
        tags,
        summary: 'Add a price of the installation',
        description:
          'Adds one entry for every organization; 409 where another prices the same model and provider from the same time on. No decision runs while it is written: set many together.',
        body: NewPrice,
        response: { 201: OwnPrice },
      },
    },
    (request, reply) =>
      change(request, reply, { orgId: request.caller.orgId, status: 201 }, (tools) =>
        addInstallationPrice(tools, request.body),
      ),
  )

  const single = `${path}/:price_id`

  app.get(
    single,
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getInstallationPrice',
        tags,
        summary: 'Get a price of the installation',
        description: 'One of the entries for every organization.',
        params: InstallationPricePath,
        response: { 200: OwnPrice },
      },
    },
    ({ params }) => sql.asOrgs([operatorsOrgId], (tx) => getInstallationPrice(tx, requireId('price', params.price_id))),
  )

  replaceable(
    app,
    single,
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict'] },
      tags,
      name: 'InstallationPrice',
      put: {
        summary: 'Replace a price of the installation',
        description: 'What is left out returns to its default; otherwise as changing it.',
      },
      patch: {
        summary: 'Change a price of the installation',
        description:
          'Changes the fields that are given and no other, and binds the next decision of every organization. Earlier decisions keep the price that they were made with.',
      },
      params: InstallationPricePath,
      body: NewPrice,
      view: OwnPrice,
    },
    (request, reply, wanted) => {
      const id = requireId('price', request.params.price_id)
      return change(request, reply, { orgId: request.caller.orgId }, (tools) =>
        replaceInstallationPrice(tools, id, wanted),
      )
    },
  )

  app.delete(
    single,
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'deleteInstallationPrice',
        tags,
        summary: 'Remove a price of the installation',
        description: 'The built-in price, if there is one, applies again.',
        params: InstallationPricePath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const id = requireId('price', request.params.price_id)
      return change(request, reply, { orgId: request.caller.orgId, status: 204 }, (tools) =>
        removeInstallationPrice(tools, id),
      )
    },
  )
}
