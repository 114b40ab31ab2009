import type { Change } from '../../access/changes/changes.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import { confirmAddress } from '../destinations/mail-addresses.ts'
import { ConfirmedMailAddress, MailCode } from './mail-address-schema.ts'

export function mailAddressRoutes(app: App, change: Change) {
  app.post(
    '/v1/orgs/:id/mail-addresses/confirm',
    {
      config: { role: 'admin', scope: 'webhooks:write' },
      schema: {
        operationId: 'confirmMailAddress',
        tags: ['webhooks'],
        summary: 'Confirm an address of mail',
        description:
          'Takes the code that was mailed to a recipient, and that they have given away: from now on alerts go to their address. It works once, for 7 days.',
        params: OrgPath,
        body: MailCode,
        response: { 200: ConfirmedMailAddress },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => confirmAddress(tools, orgId, request.body.code))
    },
  )
}
