import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { newUuid } from '../../src/values/id.ts'
import { ensureWebhookPartitions } from '../../src/webhooks/webhooks.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from '../support/cpu.ts'
import { type BenchPostgres, makePostgres } from '../support/postgres.ts'
import { profiled } from '../support/profile.ts'
import { alternate, described, type Round, ratioOf } from '../support/report.ts'
import { openBenchPlatform, prepare, type Server, startApi } from '../support/server.ts'

const bar = 0.3
const concurrency = 256
export const subscriptionsPerOrg = 2
export const webhookSettings = {
  SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32',
  SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
  SVC_WEBHOOK_CONCURRENCY: String(concurrency),
}
const data = { key_id: 'key_01jd3v5v7pf4ra7c9s2q8xk0zt', name: 'production', role: 'service', expires_at: null }

interface Stand {
  readonly postgres: BenchPostgres
  readonly owner: pg.Client
  readonly receiver: ChildProcess
  readonly origin: string
  readonly orgIds: readonly string[]
}

/** `pnpm bench webhooks`: events delivered by a worker against a bare client that posts the same bodies to the same endpoint. */
export async function benchWebhooks({ smoke, only }: { smoke: boolean; only: string[] }) {
  const wants = (part: string) => only.length === 0 || only.includes(part)
  const postgres = makePostgres()
  const receiver = startBeside('./receiver.ts')
  try {
    await postgres.start()
    const orgs = await prepare(postgres, smoke ? 4 : 50)
    const platform = await openBenchPlatform(postgres)
    await ensureWebhookPartitions(platform.sql, new Date())
    await platform.close()
    const [port] = (await once(receiver, 'message')) as [number]
    const orgIds = orgs.map(({ id }) => id)
    const owner = new pg.Client({ connectionString: postgres.url() })
    await owner.connect()
    const stand = { postgres, owner, receiver, origin: `http://127.0.0.1:${port}`, orgIds }
    await subscribe(stand)
    if (wants('deliveries')) await againstBare(stand, smoke)
    await owner.end()
    if (wants('profile') && !smoke)
      await profiled(
        postgres,
        'deliveries',
        async (worker, isWarmUp) => {
          const again = new pg.Client({ connectionString: postgres.url() })
          await again.connect()
          const count = isWarmUp ? 4_000 : 40_000
          const round = await deliver({ ...stand, owner: again }, worker, count)
          await again.end()
          return { round, count, seconds: count / round.rate }
        },
        { role: 'worker', settings: webhookSettings },
      )
  } finally {
    receiver.disconnect()
    await postgres.remove()
  }
}

export const startBeside = (file: string) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], { env: { PATH: process.env['PATH'] } })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** Signed with the organization's secret: made by the API as it would be, but for the secret, which only has to be there. */
async function subscribe({ postgres, owner, origin, orgIds }: Stand) {
  const platform = await openBenchPlatform(postgres)
  const { createWebhookSecrets } = await import('../../src/webhooks/signing/secrets.ts')
  const secrets = createWebhookSecrets(platform.config)
  for (const orgId of orgIds) {
    for (let i = 0; i < subscriptionsPerOrg; i++) {
      const id = newUuid()
      const sealed = secrets.sealSecret(
        { orgId, subscriptionId: id },
        `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      )
      await owner.query(
        `insert into webhook_subscriptions (org_id, id, url, description, events, ordered, enabled, generation, sealed)
         values ($1, $2, $3, '', '{}', false, true, 1, $4)`,
        [orgId, id, `${origin}/`, sealed],
      )
    }
  }
  await platform.close()
}

async function againstBare(stand: Stand, smoke: boolean) {
  const { rounds, count } = smoke ? { rounds: 1, count: 2_000 } : { rounds: 5, count: 40_000 }
  const worker = await startApi(stand.postgres, { role: 'worker', settings: webhookSettings })
  const bare = startBeside('./bare-client.ts')
  await once(bare, 'message')
  try {
    await deliver(stand, worker, smoke ? 400 : 10_000)
    await post(stand, bare, smoke ? 400 : 10_000)
    const by = await alternate(rounds, {
      deliveries: () => deliver(stand, worker, count),
      bare: () => post(stand, bare, count),
    })
    console.log(
      `deliveries, ${stand.orgIds.length * subscriptionsPerOrg} subscriptions, one worker: ${described(by.deliveries)}`,
    )
    console.log(
      `a bare client, ${concurrency} at once: ${described(by.bare)}; ${ratioOf(by.deliveries, by.bare, { bar, smoke })}`,
    )
  } finally {
    bare.disconnect()
    await worker.stop()
  }
}

/** The time from the commit of the events to the last arrival. */
export async function deliver(
  { postgres, owner, receiver, orgIds }: Omit<Stand, 'origin'>,
  worker: Server,
  count: number,
): Promise<Round> {
  await expectArrivals(receiver, count)
  const before = { node: cpuMicrosOf(worker.pid), postgres: cpuMicrosOfFamily(postgres.pid()) }
  const all = once(receiver, 'message')
  const ids = Array.from({ length: count / subscriptionsPerOrg }, newUuid)
  await owner.query(
    `insert into outbox (org_id, id, kind, subject, body)
     select ($2::uuid[])[1 + n % cardinality($2::uuid[])], id, 'key.created', 's', $3
       from unnest($1::uuid[]) with ordinality as e (id, n)`,
    [ids, orgIds, JSON.stringify(data)],
  )
  const started = performance.now()
  await all
  const seconds = (performance.now() - started) / 1_000
  await settled(owner)
  return {
    rate: count / seconds,
    nodeMicros: (cpuMicrosOf(worker.pid) - before.node) / count,
    postgresMicros: (cpuMicrosOfFamily(postgres.pid()) - before.postgres) / count,
  }
}

/** What has arrived must also be written down before the other side has its turn. */
async function settled(owner: pg.Client) {
  for (;;) {
    const { rows } = await owner.query<{ none: boolean }>('select not exists (select from webhook_pending) as none')
    if (rows[0]!.none) return
  }
}

async function post({ receiver, origin }: Stand, bare: ChildProcess, count: number): Promise<Round> {
  await expectArrivals(receiver, count)
  const body = JSON.stringify({
    id: 'evt_01jd3v5v7pf4ra7c9s2q8xk0zt',
    type: 'key.created',
    created_at: '2026-11-15T00:00:00.000+00:00',
    org_id: 'org_01jd3v5v7pf4ra7c9s2q8xk0zt',
    data,
  })
  const done = Promise.all([once(bare, 'message'), once(receiver, 'message')])
  const started = performance.now()
  bare.send({ origin, count, concurrency, body })
  await done
  return { rate: (1_000 * count) / (performance.now() - started) }
}

async function expectArrivals(receiver: ChildProcess, count: number) {
  const ready = once(receiver, 'message')
  receiver.send(count)
  await ready
}
