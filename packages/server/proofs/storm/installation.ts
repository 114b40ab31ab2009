import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { requireId } from '../../src/values/id.ts'
import { environmentFor } from '../../test/support/harness.ts'
import { programEnvironment, startProgram } from '../../test/support/programs.ts'
import { openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { call } from '../../test/support/tenants.ts'
import { leashed } from '../support/postgres-server.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { Member } from './faults.ts'

const programs = { main: '../../src/main.ts', node: './node.ts', plant: './source-plants.ts' }
const pathOf = (program: keyof typeof programs) => fileURLToPath(new URL(programs[program], import.meta.url))

/** API processes, each behind a proxy that can be cut, a worker, and a PostgreSQL of their own. */
export interface Installation {
  readonly cluster: Cluster
  readonly apis: readonly Member[]
  readonly worker: Member
  readonly proxies: readonly Awaited<ReturnType<typeof openTcpProxy>>[]
  readonly operator: string
  readonly calm: { value: boolean }
  /** From now on the API processes have a fault of their own, or none. */
  readonly plant: (bug: string) => Promise<void>
  /** Checks the books as an operator would; says what it printed. */
  readonly verify: () => string
  readonly close: () => Promise<void>
}

export async function openInstallation(options: {
  apis: number
  /** Settings of PostgreSQL. */
  settings?: Readonly<Record<string, string>>
  /** Settings of the processes. */
  environment?: Readonly<Record<string, string>>
  /** Address of PostgreSQL and of the processes. */
  host?: string
}): Promise<Installation> {
  const { host = '127.0.0.1' } = options
  const planted = { bug: '' }
  const closing: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  try {
    const cluster = await startCluster(options.settings, host)
    closing.push(cluster.close)
    const calm = { value: true }
    const environment = (name: string, port = cluster.port) => ({
      ...environmentFor({ ownerUrl: cluster.ownerUrl, appUrl: cluster.appUrl(port, name) }),
      SVC_HOST: host,
      SVC_DATABASE_POOL_SIZE: '6',
      SVC_LOG_LEVEL: 'error',
      // A busy machine must not turn the storm into one of refusals at the door.
      SVC_MAX_EVENT_LOOP_DELAY_MS: '10000',
      ...options.environment,
    })
    const env = { ...programEnvironment, ...environment('setup') }
    execFileSync(process.execPath, [pathOf('main'), 'migrate'], { env, stdio: 'pipe' })
    const minted = execFileSync(process.execPath, [pathOf('main'), 'create-operator-key', 'storm'], {
      env,
      stdio: 'pipe',
      encoding: 'utf8',
    })

    const proxies = await Promise.all(
      Array.from({ length: options.apis }, () => openTcpProxy(() => ({ host, port: cluster.port }))),
    )
    closing.push(() => {
      for (const proxy of proxies) proxy.close()
    })
    const member = (name: string, ready: string, parameters: string[], variables: Record<string, string>) =>
      new Member(
        name,
        ready,
        () =>
          startProgram(name, leashed('KILL', [process.execPath, ...parameters]), {
            ...variables,
            WEIR_STORM_BUG: planted.bug,
          }),
        () => calm.value,
      )
    const apis = proxies.map(({ port }, i) =>
      member(`api-${i}`, 'serving', ['--import', pathOf('plant'), pathOf('node')], environment(`api-${i}`, port)),
    )
    const worker = member('worker', 'working', [pathOf('main'), 'worker'], {
      ...environment('worker'),
      SVC_LOG_LEVEL: 'info',
    })
    closing.push(async () => {
      await Promise.all([...apis, worker].map((each) => each.close()))
    })
    await Promise.all([...apis, worker].map((each) => each.up()))
    const plant = async (bug: string) => {
      planted.bug = bug
      await Promise.all(apis.map((api) => api.kill()))
    }
    const verify = () =>
      spawnSync(process.execPath, [pathOf('main'), 'verify'], { env, encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout
    const { key: operator } = JSON.parse(minted) as { key: string }
    return { cluster, apis, worker, proxies, operator, calm, plant, verify, close }
  } catch (error) {
    await close()
    throw error
  }
}

export interface Tenant {
  readonly id: string
  readonly uuid: string
  readonly key: string
  readonly keyId: string
}

export async function createTenant({ apis, cluster: { host }, operator }: Installation): Promise<Tenant> {
  const url = `http://${host}:${apis[0]!.port}`
  const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Storm' } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
  return { id, uuid: requireId('org', id), key: owner_key.secret, keyId: owner_key.id }
}

/** One budget of $100 and 26 other limits, of which some are used up early and some never. */
export async function setLimits(installation: Installation, tenant: Tenant) {
  const url = `http://127.0.0.1:${installation.apis[0]!.port}`
  const set = async (method: string, path: string, body: object, key = tenant.key) => {
    const { status, text } = await call(url, method, path, { key, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  }
  const org = `/v1/orgs/${tenant.id}`
  const admin = `/v1/admin/orgs/${tenant.id}`
  const budget = (scope_kind: string, scope_id: string | undefined, limit_usd: string | null, more: object = {}) =>
    set('POST', `${org}/budgets`, {
      name: scope_id ?? 'storm',
      scope_kind,
      ...(scope_id && { scope_id }),
      limit_usd,
      period: 'year',
      ...more,
    })
  const price = { model: 'storm', input_usd_per_million: '0', output_usd_per_million: '1', max_output_tokens: 1 }
  await set('PUT', `${org}/prices`, { prices: [price], min_hold_usd: '0.0001' })
  await budget('org', undefined, '100', { thresholds: [50, 80, 100] })
  await budget('org', undefined, '10', { enforcement: 'alert', name: 'alerting' })
  for (const [i, amount] of ['1', '4', '8', '15', '40'].entries()) await budget('workflow', `workflow-${i}`, amount)
  for (const [i, amount] of ['5', '20', '60'].entries()) await budget('department', `department-${i}`, amount)
  for (const [i, amount] of ['5', '30', null].entries()) await budget('deployment', `deployment-${i}`, amount)
  for (const [i, amount] of ['6', '45'].entries()) await budget('tag', `tag-${i}`, amount)
  await budget('model', 'storm', '130', { name: 'the only model' })
  await budget('provider', 'provider-0', '25')
  await budget('key', tenant.keyId, '120', { name: 'the only key' })
  await budget('department', 'department-2', '9', { and_scope_kind: 'model', and_scope_id: 'storm' })
  for (const [i, limit_usd] of ['0.5', '3', '10', null].entries())
    await set('PUT', `${org}/customers/customer-${i}/limit`, { limit_usd, period: 'month' })
  await set('PUT', `${org}/customer-limit-default`, { limit_usd: '2', period: 'month', max_new_customers_per_day: 25 })
  await set('PUT', `${org}/spend-cap`, { cap_usd: '150' })
  for (const amount_usd of ['92', '38'])
    await set('POST', `${admin}/quota/top-ups`, { amount_usd }, installation.operator)
  const plan = { name: 'Storm', runs_per_month: 500, tokens_per_month: null, overage_policy: 'block' }
  await set('PUT', `${admin}/plan`, plan, installation.operator)
  await set('POST', `${org}/customers/customer-4/credit-packs`, { amount_usd: '0.5' })
}
