import pg from 'pg'
import { beforeAll, expect } from 'vitest'
import type { Lanes } from '../../src/decisions/lanes/lanes.ts'
import { createRounds } from '../../src/runs/otlp/waiting-telemetry.ts'
import type { Report } from './assistant-reports.ts'
import { useServer } from './harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from './tenants.ts'

/** Organizations with a key that assistants report with. */

export interface Organization extends Tenant {
  readonly reporter: string
}

export interface Run {
  readonly id: string
  readonly model: string
  readonly cost_usd: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly value_usd: string | null
  readonly user_id: string | null
  readonly department_id: string | null
  readonly chain_id: string
  readonly key_id: string
  readonly tags: string[]
  readonly metadata: Record<string, string>
}

export const totalsOf = (runs: readonly Run[]) => ({
  input: runs.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
  output: runs.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
  calls: runs.length,
})

/** A server, and the part of a worker that records what waits. */
export function useAssistants(env: Record<string, string> = {}) {
  let lanes: Lanes
  let operator: string
  let round: () => Promise<boolean>
  const server = useServer({
    environment: env,
    domain: (_app, _platform, own) => {
      lanes = own
    },
  })
  beforeAll(async () => {
    operator = (await operatorOf(server)).key
    round = createRounds(server.platform, lanes, 0)
  })

  const reporterOf = async ({ id }: Tenant, pins: Record<string, string> = {}) =>
    (await keyOf(server, id, { role: 'service', scopes: ['runs:import'], pins })).key

  /** Runs a statement as the owner of the database. */
  async function asOwner(text: string, values: readonly unknown[] = []) {
    const owner = new pg.Client({ connectionString: server.database.ownerUrl })
    await owner.connect()
    try {
      return (await owner.query<Record<string, unknown>>(text, [...values])).rows
    } finally {
      await owner.end()
    }
  }

  async function wait() {
    await asOwner(`update waiting_calls set due_at = clock_timestamp() - interval '1 second'`)
    while (await round());
  }

  return {
    server,
    reporterOf,
    asOwner,
    organization: async (pins: Record<string, string> = {}): Promise<Organization> => {
      const tenant = await tenantOf(server, operator)
      return { ...tenant, reporter: await reporterOf(tenant, pins) }
    },
    send: async ({ reporter }: Pick<Organization, 'reporter'>, reports: readonly Report[]) => {
      const answers = []
      for (const { path, body } of reports) {
        const { status, json } = await call(server.url, 'POST', path, { key: reporter, body })
        expect(status).toBe(200)
        answers.push(json)
      }
      return answers
    },
    round: () => round(),
    /** Records what waits, as the worker does, as if all of it had waited long enough. */
    wait,
    /** The same, as if it had waited for longer than it may. */
    outwait: async () => {
      await asOwner(`update waiting_calls set reported_at = reported_at - interval '6 minutes'`)
      await wait()
    },
    runsOf: async ({ key }: Tenant, query = ''): Promise<Run[]> =>
      (await call(server.url, 'GET', `/v1/runs?limit=100${query}`, { key })).json['data'] as Run[],
    spentOf: async ({ id, key }: Tenant) =>
      (await call(server.url, 'GET', `/v1/orgs/${id}/spend-cap`, { key })).json['spent_usd'],
    withSpendCap: async (tenant: Organization) => {
      await call(server.url, 'PUT', `/v1/orgs/${tenant.id}/spend-cap`, { key: tenant.key, body: { cap_usd: '100' } })
      return tenant
    },
  }
}
