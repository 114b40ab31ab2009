import { applyPins, isWithinPins } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { Run } from '../../records/run-log/run-log.ts'
import { requireId } from '../../values/id.ts'
import { getChain } from './chains.ts'
import { getRun, listRuns } from './run-history.ts'
import { Chain, ChainPath, RunList, RunListQuery, RunPath } from './schema.ts'

export function runHistory(app: App, platform: Platform) {
  const tags = ['runs']

  app.get(
    '/v1/runs',
    {
      config: { role: 'viewer', scope: 'runs:read', pinned: 'filtered' },
      schema: {
        operationId: 'listRuns',
        tags,
        summary: 'List runs',
        description:
          'Runs that started in a window of at most 90 days, by default the last 90, newest first. Running ones stand among them by their start; sorted or filtered by cost, only ended ones are listed. With a filter that few runs fit, a page may have fewer runs than `limit`, or none, and a `next_cursor` all the same.',
        querystring: RunListQuery,
        response: { 200: RunList },
      },
    },
    ({ caller, query }) => listRuns(platform, caller.orgId, applyPins(query, caller)),
  )

  app.get(
    '/v1/runs/:run_id',
    {
      config: { role: 'viewer', scope: 'runs:read', pinned: 'filtered' },
      schema: {
        operationId: 'getRun',
        tags,
        summary: 'Get a run',
        description: 'One run, running or ended, for as long as the retention policy says.',
        params: RunPath,
        response: { 200: Run },
      },
    },
    async ({ caller, params }) => {
      const { orgId, pins } = caller
      const id = requireId('run', params.run_id)
      const run = await platform.sql.asOrgs([orgId], (tx) => getRun(tx, orgId, id, platform.clock.now()))
      if (!run || !isWithinPins(pins, run)) throw new ApiError('not_found')
      return run
    },
  )

  app.get(
    '/v1/chains/:chain_id',
    {
      config: { role: 'viewer', scope: 'runs:read', pinned: 'filtered' },
      schema: {
        operationId: 'getChain',
        tags,
        summary: 'Get a chain',
        description:
          'What bounds a chain, how much of it is used, and its runs as a tree with what each cost, alone and with all below it.',
        params: ChainPath,
        response: { 200: Chain },
      },
    },
    async ({ caller, params }) => {
      const chain = await getChain(platform, caller, params.chain_id)
      if (!chain) throw new ApiError('not_found')
      return chain
    },
  )
}
