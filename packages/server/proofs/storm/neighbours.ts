import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd } from '../../src/values/money.ts'
import { call } from '../../test/support/tenants.ts'
import { post } from './clients.ts'
import { createTenant, type Installation, type Tenant } from './installation.ts'

export interface NeighbourFigures {
  /** The quiet organization's p99 in milliseconds: alone and beside the noisy one, in turns. */
  readonly alone: readonly number[]
  readonly beside: readonly number[]
  /** The median of what each pair of turns says. */
  readonly ratio: number
  readonly quietFailures: number
  readonly noisyPerSecond: number
}

/** How much one organization feels of another that asks as fast as it can. In turns, because the machine is not ours alone. */
export async function measureNeighbours(
  installation: Installation,
  options: { pairs: number; seconds: number; noisyConnections: number; quietConnections: number },
): Promise<NeighbourFigures> {
  const quiet = await tenantWithBudget(installation)
  const noisy = await tenantWithBudget(installation)
  const { pairs, seconds, noisyConnections, quietConnections } = options
  const alone: number[] = []
  const beside: number[] = []
  let quietFailures = 0
  let noisyCalls = 0
  const run = async (tenant: Tenant, connections: number, pauseMs: number) => {
    const untilMs = performance.now() + seconds * 1_000
    const outcomes = await Promise.all(
      Array.from({ length: connections }, (_, i) => callsOf(installation, tenant, i, untilMs, pauseMs)),
    )
    return outcomes.flat()
  }
  const quietRun = async () => {
    const calls = await run(quiet, quietConnections, 5)
    quietFailures += calls.filter(({ status }) => status !== 200).length
    return percentile(
      calls.map(({ ms }) => ms),
      0.99,
    )
  }
  await run(noisy, noisyConnections, 0)
  for (let pair = 0; pair < pairs; pair++) {
    alone.push(await quietRun())
    const noise = run(noisy, noisyConnections, 0)
    beside.push(await quietRun())
    noisyCalls += (await noise).filter(({ status }) => status === 200).length
  }
  const ratio = percentile(
    alone.map((ms, i) => beside[i]! / ms),
    0.5,
  )
  return { alone, beside, ratio, quietFailures, noisyPerSecond: noisyCalls / (pairs * seconds) }
}

/** Calls that are held and given back, one after another. */
async function callsOf({ apis }: Installation, { key }: Tenant, index: number, untilMs: number, pauseMs: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const calls: { status: number; ms: number }[] = []
  const port = apis[index % apis.length]!.port!
  while (performance.now() < untilMs) {
    const sentMs = performance.now()
    const body = { model: 'gpt-4o', estimated_cost_usd: formatUsd(1_000_000n), input_tokens: 1, max_output_tokens: 1 }
    const { status, text } = await post(agent, port, '/v1/edge/decision', { key, body })
    calls.push({ status, ms: performance.now() - sentMs })
    if (status === 200) {
      const { reservation_id } = JSON.parse(text) as { reservation_id: string }
      await post(agent, port, `/v1/edge/reservations/${reservation_id}/release`, { key })
    }
    if (pauseMs > 0) await sleep(pauseMs)
  }
  agent.destroy()
  return calls
}

async function tenantWithBudget(installation: Installation): Promise<Tenant> {
  const tenant = await createTenant(installation)
  const body = { name: 'neighbour', scope_kind: 'org', limit_usd: '1000', period: 'year' }
  await call(`http://127.0.0.1:${installation.apis[0]!.port}`, 'POST', `/v1/orgs/${tenant.id}/budgets`, {
    key: tenant.key,
    body,
  })
  return tenant
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
