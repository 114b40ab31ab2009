import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/programs.ts'
import { call } from '../../test/support/tenants.ts'
import { randomFrom } from '../storm/clients.ts'
import { type FaultCounts, faultsOf } from '../storm/faults.ts'
import { createTenant, type Installation, openInstallation, type Tenant } from '../storm/installation.ts'
import { type Door, OutsiderClient } from './clients.ts'
import { emptyJournal, type Journal } from './journal.ts'
import { faultsOfAdmissions, installLimitSpy } from './limit-spy.ts'
import { type Outside, readOutside } from './outside.ts'
import { priceInput } from './pricing.ts'
import { faultsOfEvents, openReceiver } from './receiver.ts'
import { faultsOfRuns } from './run-oracle.ts'
import { faultsOfSums } from './sums-oracle.ts'

/**
 * A storm judged from outside: callers start, extend, finish, settle, release and report runs, ask again for answers that they have, and
 * change limits, through processes that are killed, stopped and cut off, on a PostgreSQL that crashes. Afterwards everything that a
 * customer can read (runs, usage, limits, ledger, events, audit log) is compared with the clients' own record.
 */

export interface StormOptions {
  readonly seconds: number
  readonly clients: number
  readonly seed: number
  readonly weather: 'calm' | 'stormy' | 'cutting'
  /** Longest wait for the last reservation to end, and then for the events of runs that have ended; a minute by default. */
  readonly patienceMs?: number
}

export interface StormReport {
  readonly faults: readonly string[]
  readonly counts: FaultCounts | undefined
  readonly answers: Readonly<Record<string, number>>
  readonly figures: Readonly<Record<string, number>>
}

/** API processes and a worker that may deliver to this machine, with the witness in their PostgreSQL. */
export async function openOutsiderInstallation(
  apis: number,
  more: { readonly host?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<Installation> {
  const installation = await openInstallation({
    apis,
    ...more,
    environment: {
      SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
      SVC_WEBHOOK_RETRY_SECONDS: '1,1,2,2,4,4,8,8',
      ...more.environment,
    },
  })
  const client = await installation.cluster.connect()
  await installLimitSpy(client)
  await client.end()
  return installation
}

/** What callers do in an organization during a storm, and what is known of it afterwards. */
export interface Scene {
  readonly installation: Installation
  readonly tenant: Tenant
  readonly journal: Journal
  readonly receiver: Awaited<ReturnType<typeof openReceiver>>
  /** Budgets whose limits may be changed. */
  readonly budgetIds: readonly string[]
  /** Lines of PostgreSQL's log before it. */
  readonly seenLog: number
}

/** Makes an organization for a storm, with limits and an endpoint for its events. */
export async function openScene(installation: Installation): Promise<Scene> {
  const tenant = await createTenant(installation)
  const receiver = await openReceiver()
  const seenLog = installation.cluster.log.length
  const budgetIds = await setUp(installation, tenant, receiver.url)
  return { installation, tenant, journal: emptyJournal(), receiver, budgetIds, seenLog }
}

/** Compares everything that a customer can read with the clients' own record, once the storm is over. */
export async function judgeScene(
  { installation, tenant, journal, receiver, seenLog }: Scene,
  patienceMs = 60_000,
): Promise<Pick<StormReport, 'faults' | 'figures'>> {
  const { apis, worker, cluster } = installation
  const client = await cluster.connect()
  try {
    const open = async () =>
      (await client.query(`select from holds where org_id = $1 and state = 'open'`, [tenant.uuid])).rowCount
    const leaks = await eventually(async () => (await open()) === 0, patienceMs).then(() => 0, open)
    const outside = await readOutside(urlOf(installation), tenant.id, tenant.key)
    await eventually(() => isTold(outside, receiver.events()), patienceMs).catch(() => undefined)
    const { faults: admissionFaults, admissions } = await faultsOfAdmissions(client, tenant.uuid)
    const faults = [
      ...journal.faults,
      ...(leaks === 0 ? [] : [`${leaks} holds are still open`]),
      ...faultsOfRuns(journal.lives, outside.runs),
      ...faultsOfSums(outside, journal),
      ...faultsOfEvents(receiver.events(), outside.runs),
      ...receiver.faults,
      ...admissionFaults,
      ...faultsOfVerification(installation.verify()),
      ...cluster.log.slice(seenLog).filter((line) => / (40P01|WE001|XX\d{3}) |PANIC/.test(line)),
      ...[...apis, worker].flatMap((member) => [...member.surprises.splice(0), ...member.complaints]),
    ]
    const figures = {
      admissions,
      lives: journal.lives.length,
      runs: outside.runs.length,
      movements: outside.movements.length,
      events: receiver.events().length,
      'limits changed': journal.changes.length,
      'answers asked for again': Object.entries(journal.answers)
        .filter(([name]) => name.startsWith('resend 2'))
        .reduce((sum, [, count]) => sum + count, 0),
    }
    return { faults, figures }
  } finally {
    await client.end()
  }
}

export async function runOutsiderStorm(installation: Installation, options: StormOptions): Promise<StormReport> {
  const scene = await openScene(installation)
  try {
    const { patienceMs = 60_000 } = options
    installation.calm.value = options.weather === 'calm'
    const counts = await blow(scene, options)
    installation.calm.value = true
    return { ...(await judgeScene(scene, patienceMs)), counts, answers: scene.journal.answers }
  } finally {
    scene.receiver.close()
  }
}

/** Addresses of the processes of an installation that serve now. */
export const doorsOf = ({ apis, cluster: { host } }: Installation): Door[] =>
  apis.flatMap(({ port }) => (port === undefined ? [] : [{ host, port }]))

const urlOf = (installation: Installation) => {
  const [door] = doorsOf(installation)
  if (!door) throw new Error('no process serves')
  return `http://${door.host}:${door.port}`
}

async function blow(
  { installation, tenant, journal, budgetIds }: Scene,
  { seconds, clients, seed, weather }: StormOptions,
): Promise<FaultCounts | undefined> {
  let isOver = false
  let count = 0
  const traffic = {
    key: tenant.key,
    orgId: tenant.id,
    doors: () => doorsOf(installation),
    journal,
    isOver: () => isOver,
    budgetIds,
    next: () => ++count,
  }
  const running = Array.from({ length: clients }, (_, i) =>
    new OutsiderClient(traffic, i, randomFrom(seed * 1_000 + i)).run(),
  )
  const random = randomFrom(seed)
  const crashAfterMs = weather === 'cutting' ? [] : [0.3, 0.3].map((share) => seconds * 1_000 * share)
  try {
    if (weather === 'calm') await sleep(seconds * 1_000).then(() => undefined)
    else
      return await faultsOf(installation, {
        seconds,
        random,
        crashAfterMs,
        ...(weather === 'cutting' && { cutsEveryMs: [60, 180], killsEveryMs: [5_000, 9_000] }),
      })
    return undefined
  } finally {
    isOver = true
    installation.calm.value = true
    await Promise.all(running)
  }
}

/** Budgets that bind, one that only counts, and a subscription to everything that ends. Answers those whose limits may be changed. */
async function setUp(installation: Installation, tenant: Tenant, receiverUrl: string): Promise<string[]> {
  const url = urlOf(installation)
  const org = `/v1/orgs/${tenant.id}`
  const set = async (method: string, path: string, body: object) => {
    const { status, text, json } = await call(url, method, path, { key: tenant.key, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json as { id: string }
  }
  await set('PUT', `${org}/prices`, priceInput)
  await set('PUT', `${org}/spend-cap`, { cap_usd: '100000' })
  const budget = (name: string, limit_usd: string | null, scope: object) =>
    set('POST', `${org}/budgets`, { name, limit_usd, period: 'year', ...scope })
  await budget('everything', null, { scope_kind: 'org' })
  const changing = [
    await budget('org', '3', { scope_kind: 'org' }),
    await budget('workflow-0', '1', { scope_kind: 'workflow', scope_id: 'workflow-0' }),
    await budget('department-0', '1', { scope_kind: 'department', scope_id: 'department-0' }),
  ]
  await budget('workflow-elsewhere', '0', { scope_kind: 'workflow', scope_id: 'workflow-elsewhere' })
  await set('POST', `${org}/webhooks`, { url: receiverUrl, events: ['run.finished'] })
  return changing.map(({ id }) => id)
}

/** Whether each run's last state has had time to arrive: as many are told of as there are. */
function isTold({ runs }: Outside, events: readonly { data: Readonly<Record<string, unknown>> }[]) {
  const last = new Map(events.map(({ data }) => [data['run_id'], data['status']]))
  return runs.every(({ id, status }) => last.get(id) === status)
}

/** The books as the operator's command sees them. */
function faultsOfVerification(printed: string): string[] {
  const { faults } = JSON.parse(printed) as { faults: readonly object[] }
  return faults.map((fault) => `verify: ${JSON.stringify(fault)}`)
}
