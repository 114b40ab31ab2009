import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { newUuid, requireId } from '../../src/values/id.ts'
import { ingest } from '../ingest/ingest.ts'
import { makePostgres } from '../support/postgres.ts'
import { alternate, described, type Round, ratioOf } from '../support/report.ts'
import { ask, type BenchOrg, call, environmentOf, type Server, startApi } from '../support/server.ts'
import { deliver, startBeside, subscriptionsPerOrg, webhookSettings } from '../webhooks/webhooks.ts'

const bar = 0.95
const here = fileURLToPath(new URL('../../../..', import.meta.url))
const never = { limit_usd: '1000000', period: 'month' }

/** One revision of the program, on a PostgreSQL of its own, set up over its API as a customer would. */
interface Revision {
  readonly main: string
  readonly postgres: ReturnType<typeof makePostgres>
  readonly org: BenchOrg
  readonly api: Server
  readonly send: Send
  readonly close: () => Promise<void>
}

/**
 * `pnpm bench revisions --tree DIR [--only decisions,ingest,webhooks]`: this checkout against another one, in turns. DIR is a checkout
 * in which `scripts/setup` has run.
 */
export async function benchRevisions({ smoke, only, tree }: { smoke: boolean; only: string[]; tree: string }) {
  const wants = (part: string) => only.length === 0 || only.includes(part)
  const [now, before] = [await openRevision(here), await openRevision(resolve(tree))]
  try {
    if (wants('decisions')) await compareDecisions(now, before, smoke)
    if (wants('ingest')) await compareIngest(now, before, smoke)
    if (wants('webhooks')) await compareWebhooks(now, before, smoke)
  } finally {
    await now.close()
    await before.close()
  }
}

async function openRevision(tree: string): Promise<Revision> {
  const postgres = makePostgres()
  await postgres.start()
  const main = join(tree, 'packages/server/src/main.ts')
  const command = (...words: string[]) =>
    execFileSync(process.execPath, [main, ...words], {
      env: { PATH: process.env['PATH'], ...environmentOf(postgres), SVC_MIGRATE_DATABASE_URL: postgres.url() },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  command('migrate')
  const operatorKey = /weir_\w+/.exec(command('create-operator-key', 'bench'))?.[0] ?? ''
  const api = await startApi(postgres, { main, settings: webhookSettings })
  const send = senderTo(api, operatorKey)
  const org = await makeLimitedOrg(send)
  const close = async () => {
    await api.stop()
    await postgres.remove()
  }
  return { main, postgres, org, api, send, close }
}

type Send = (method: string, path: string, body: object, key?: string) => Promise<Record<string, unknown>>

const senderTo =
  (api: Server, operatorKey: string): Send =>
  async (method, path, body, key = operatorKey) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'idempotency-key': newUuid() },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

/** An organization, with a way to send requests as its owner. */
async function makeOrg(send: Send) {
  const made = await send('POST', '/v1/admin/orgs', { name: 'Bench' })
  const { id, owner_key: owner } = made as { id: string; owner_key: { secret: string } }
  const set = (method: string, path: string, body: object) => send(method, `/v1/orgs/${id}${path}`, body, owner.secret)
  return { id: requireId('org', id), set }
}

/** An organization with a spend cap, three budgets and a customer's limit, none of which is ever reached. */
async function makeLimitedOrg(send: Send): Promise<BenchOrg> {
  const { id, set } = await makeOrg(send)
  await set('PUT', '/spend-cap', { cap_usd: never.limit_usd })
  for (const [scope_kind, scope_id] of [
    ['org', undefined],
    ['department', call.department_id],
    ['workflow', call.workflow_id],
  ])
    await set('POST', '/budgets', { name: scope_kind, scope_kind, ...(scope_id && { scope_id }), ...never })
  await set('PUT', `/customers/${call.customer_id}/limit`, never)
  const key = await set('POST', '/keys', { name: 'bench', role: 'service', scopes: ['edge:decide', 'runs:write'] })
  return { id, key: String(key['secret']) }
}

/** Measures both sides in turns, after a round of each that does not count. */
async function report(
  title: string,
  smoke: boolean,
  sides: Record<'now' | 'before', (isWarmUp?: true) => Promise<Round>>,
) {
  await sides.now(true)
  await sides.before(true)
  const by = await alternate(smoke ? 1 : 5, { now: () => sides.now(), before: () => sides.before() })
  console.log(`${title}: now ${described(by.now)}`)
  console.log(`${title}: before ${described(by.before)}; ${ratioOf(by.now, by.before, { bar, smoke })}`)
}

async function compareDecisions(now: Revision, before: Revision, smoke: boolean) {
  const side = ({ api, postgres, org }: Revision, isWarmUp = false) =>
    ask(api, postgres, { orgs: [org], connections: 200, seconds: smoke ? 1 : 5, isWarmUp })
  await report('decisions, 200 connections', smoke, {
    now: (isWarmUp) => side(now, isWarmUp),
    before: (isWarmUp) => side(before, isWarmUp),
  })
}

async function compareIngest(now: Revision, before: Revision, smoke: boolean) {
  const side = ({ api, postgres, org }: Revision) =>
    ingest({ postgres, orgs: [org], server: api }, [org], smoke ? 5_000 : 50_000, 5_000)
  await report('batches of 5000 runs', smoke, { now: () => side(now), before: () => side(before) })
}

/** Workers run only here: they would fold the usage of the other parts beside what is measured. */
async function compareWebhooks(now: Revision, before: Revision, smoke: boolean) {
  const sides = [await openDelivery(now), await openDelivery(before)] as const
  const count = smoke ? 400 : 20_000
  try {
    await report('webhooks', smoke, { now: () => sides[0].deliver(count), before: () => sides[1].deliver(count) })
  } finally {
    for (const side of sides) await side.close()
  }
}

async function openDelivery({ main, postgres, send }: Revision) {
  const receiver = startBeside('./receiver.ts')
  const [port] = (await once(receiver, 'message')) as [number]
  const orgIds: string[] = []
  for (let i = 0; i < 20; i++) {
    const { id, set } = await makeOrg(send)
    for (let n = 0; n < subscriptionsPerOrg; n++)
      await set('POST', '/webhooks', { url: `http://127.0.0.1:${port}/${n}`, events: ['key.created'] })
    orgIds.push(id)
  }
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  const worker = await startApi(postgres, { main, role: 'worker', settings: webhookSettings })
  return {
    deliver: (count: number) => deliver({ postgres, owner, receiver, orgIds }, worker, count),
    close: async () => {
      await worker.stop()
      await owner.end()
      receiver.disconnect()
    },
  }
}
