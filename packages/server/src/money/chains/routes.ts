import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import { getChainLimits, putChainLimits } from './chains.ts'
import { ChainLimits, ChainLimitsInput } from './schema.ts'

export function chains(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.get(
    '/v1/orgs/:id/chain-limits',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getChainLimits',
        tags,
        summary: 'Get the limits of run chains',
        description:
          'What bounds chains that begin from now on, for each workflow that has limits of its own and for all others.',
        params: OrgPath,
        response: { 200: ChainLimits },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx) => getChainLimits(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/chain-limits',
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'ChainLimits',
      put: {
        summary: 'Set the limits of run chains',
        description:
          'Replaces all of them. A chain is bounded by what is set when its first run starts; that run may ask for tighter bounds, not for looser ones.',
      },
      patch: {
        summary: 'Change the limits of run chains',
        description: 'Replaces the default or the list of workflows, whichever is given; otherwise as setting them.',
      },
      params: OrgPath,
      body: ChainLimitsInput,
      view: ChainLimits,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => putChainLimits(tools, orgId, wanted))
    },
  )
}
