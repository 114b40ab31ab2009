import { afterAll, beforeAll } from 'vitest'
import { type ServerUnderTest, useServer } from '../../../server/test/support/harness.ts'
import { eventually } from '../../../server/test/support/programs.ts'
import { call, keyOf, operatorOf } from '../../../server/test/support/tenants.ts'
import type { Notice, Schema } from '../../src/sdk.ts'
import { Weir, type WeirOptions } from '../../src/sdk.ts'
import { type Provider, startProvider } from './provider.ts'

export interface Site {
  readonly weir: ServerUnderTest
  provider: Provider
  orgId: string
  ownerKey: string
  /** A key of an agent, which can do nothing but run calls. */
  agentKey: string
}

/** A real Weir, an organization in it, and a provider that keeps books. */
export function useSite(): Site {
  const weir = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
  const site = { weir } as Site
  beforeAll(async () => {
    site.provider = await startProvider()
    const operator = await operatorOf(weir)
    const made = await call(weir.url, 'POST', '/v1/admin/orgs', { key: operator.key, body: { name: 'SDK' } })
    site.orgId = String(made.json['id'])
    site.ownerKey = (await keyOf(weir, site.orgId)).key
    site.agentKey = (await keyOf(weir, site.orgId, { role: 'service', scopes: ['runs:write'] })).key
  })
  afterAll(() => site.provider?.stop())
  return site
}

/** A client of the site, with what it was told beside its answers. */
export function clientOf(
  site: Site,
  options: WeirOptions = {},
): { weir: Weir; notices: Notice[]; kinds: () => string[] } {
  const notices: Notice[] = []
  const weir = new Weir({
    apiKey: site.agentKey,
    baseUrl: site.weir.url,
    onNotice: (notice) => void notices.push(notice),
    ...options,
  })
  return { weir, notices, kinds: () => notices.map(({ type }) => type) }
}

/** Asks Weir as the owner of the organization. */
export const ownerOf = (site: Site): Weir => new Weir({ apiKey: site.ownerKey, baseUrl: site.weir.url })

/** A key whose calls are in a workflow of its own, with a budget. */
export async function budgetedKey(site: Site, workflow_id: string, limit_usd: string): Promise<string> {
  const owner = ownerOf(site)
  await owner.request('PUT', '/v1/orgs/{id}/scoped-budget', {
    path: { id: site.orgId },
    query: { scope_kind: 'workflow', scope_id: workflow_id, period: 'month' },
    body: { name: workflow_id, limit_usd },
  })
  return (await keyOf(site.weir, site.orgId, { role: 'service', scopes: ['runs:write'], pins: { workflow_id } })).key
}

/** Reads the runs of a workflow, newest first, once none of them is running. */
export async function endedRuns(site: Site, workflow_id: string): Promise<Schema<'Run'>[]> {
  const owner = ownerOf(site)
  const runs: Schema<'Run'>[] = []
  await eventually(async () => {
    runs.splice(0)
    for await (const run of owner.list('/v1/runs', { query: { workflow_id } })) runs.push(run)
    return runs.every(({ status }) => status !== 'running')
  })
  return runs
}
