import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../support/harness.ts'
import { mintOver, startInstallation } from '../support/installation.ts'
import { eventually, startApi, suspend } from '../support/processes.ts'
import { call } from '../support/tenants.ts'

const database = useDatabase()
let installation: Awaited<ReturnType<typeof startInstallation>>
beforeAll(async () => {
  installation = await startInstallation(database, 2, {
    SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: '3',
    SVC_HANDLER_TIMEOUT_SECONDS: '2',
  })
})

let names = 0
const freshName = () => `name-${++names}`
const post = (url: string, idempotencyKey: string, name: string) =>
  call(url, 'POST', `/v1/orgs/${installation.orgId}/keys`, {
    key: installation.owner,
    headers: { 'idempotency-key': idempotencyKey },
    body: { name, role: 'viewer', scopes: ['orgs:read'] },
  })

/** How many keys of that name there are, whoever's answer was lost. */
async function effects(name: string): Promise<number> {
  const { rows } = await database.owner.query<{ count: string }>('select count(*) from api_keys where name = $1', [
    name,
  ])
  return Number(rows[0]!.count)
}

/** Holds the handler inside its transaction: it cannot insert its key until the lock is gone. */
async function holdHandlers() {
  const blocker = new pg.Client({ connectionString: database.ownerUrl })
  await blocker.connect()
  await blocker.query('begin')
  await blocker.query('lock table api_keys in share row exclusive mode')
  return {
    /** Until the call with the key is inside its transaction: it has claimed the key, and waits for the lock. */
    waiting: (key: string) =>
      eventually(async () => {
        const { rows } = await database.owner.query(
          `select from pg_locks l join pg_stat_activity a using (pid)
            where not l.granted and l.relation = 'api_keys'::regclass and a.query ilike 'insert into "api_keys"%'
              and exists (select from idempotency_keys where key like '% ' || $1)`,
          [key],
        )
        return rows.length > 0
      }),
    release: () => blocker.end(),
  }
}

test('200 concurrent posts with one key over two processes have one effect, and each answer is the kept one or "processing"', async () => {
  const name = freshName()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => post(installation.apis[i % 2]!.url, `storm-${name}`, name)),
  )
  // The first may itself have been told that it took too long.
  await eventually(async () => (await post(installation.apis[0]!.url, `storm-${name}`, name)).status === 201)
  const later = await post(installation.apis[1]!.url, `storm-${name}`, name)
  expect(later.headers.get('idempotent-replayed')).toBe('true')
  const made = answers.filter(({ status }) => status === 201)
  const others = answers.filter(({ status }) => status !== 201)
  expect(new Set([later, ...made].map(({ text }) => text)).size).toBe(1)
  // A process that stood still for seconds says so: what came of it is then answered to who asks again.
  const said = new Set(['idempotency_key_processing', 'service_unavailable'])
  expect(others.map(({ json }) => json.error?.code).filter((code) => !said.has(code!))).toEqual([])
  expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBeLessThanOrEqual(1)
  expect(await effects(name)).toBe(1)
})

test('the same key with another body, path or query is a conflict', async () => {
  const { apis, orgId, owner } = installation
  const name = freshName()
  expect((await post(apis[0]!.url, `c-${name}`, name)).status).toBe(201)
  expect((await post(apis[1]!.url, `c-${name}`, `${name}x`)).json.error?.code).toBe('idempotency_key_conflict')
  const elsewhere = await call(apis[0]!.url, 'PATCH', `/v1/orgs/${orgId}`, {
    key: owner,
    headers: { 'idempotency-key': `c-${name}` },
    body: { name: 'x' },
  })
  expect(elsewhere.json.error?.code).toBe('idempotency_key_conflict')
})

test('a refusal keeps nothing: the key is free again at once', async () => {
  const { apis, orgId, owner } = installation
  const attempt = (scopes: string[]) =>
    call(apis[0]!.url, 'POST', `/v1/orgs/${orgId}/keys`, {
      key: owner,
      headers: { 'idempotency-key': 'refused' },
      body: { name: 'n', role: 'viewer', scopes },
    })
  expect((await attempt([])).status).toBe(422)
  expect((await attempt(['orgs:read'])).status).toBe(201)
})

test.each(['', 'x'.repeat(256), 'a b', 'ü'])('%j is no idempotency key', async (key) => {
  const { status } = await call(installation.apis[0]!.url, 'POST', `/v1/orgs/${installation.orgId}/keys`, {
    key: installation.owner,
    headers: { 'idempotency-key': encodeURI(key) === key ? key : Buffer.from(key).toString('latin1') },
    body: {},
  })
  expect(status).toBe(422)
})

test('a kept answer that holds a secret is closed in the database', async () => {
  const { apis, orgId, owner } = installation
  const { secret } = await mintOver(apis[0]!.url, orgId, owner, { 'idempotency-key': 'sealed' })
  const { rows } = await database.owner.query<{ dump: string }>(
    `select string_agg(i::text || encode(i.sealed, 'escape'), '') as dump from idempotency_keys i`,
  )
  expect(rows[0]!.dump).not.toContain(secret.split('_')[2])
  expect((await mintOver(apis[1]!.url, orgId, owner, { 'idempotency-key': 'sealed' })).secret).toBe(secret)
})

describe('a first call that crashed', () => {
  test('inside its transaction is taken over after the configured time and not before, with one effect', async () => {
    const doomed = await startApi(installation.environment)
    const name = freshName()
    const hold = await holdHandlers()
    const lost = post(doomed.url, `t-${name}`, name).catch(() => 'lost')
    await hold.waiting(`t-${name}`)
    const claimedMs = performance.now()
    doomed.process.kill('SIGKILL')
    await hold.release()
    expect(await lost).toBe('lost')
    expect((await post(installation.apis[0]!.url, `t-${name}`, name)).json.error?.code).toBe(
      'idempotency_key_processing',
    )
    await eventually(async () => (await post(installation.apis[0]!.url, `t-${name}`, name)).status === 201)
    expect(performance.now() - claimedMs).toBeGreaterThan(2_000)
    expect(await effects(name)).toBe(1)
  })

  test('after its commit and before its answer has had its effect: the retry gets the kept answer', async () => {
    const { apis, orgId, owner } = installation
    const [doomed, sleeper] = await Promise.all([
      startApi(installation.environment),
      startApi(installation.environment),
    ])
    const key = await mintOver(apis[0]!.url, orgId, owner)
    const revoke = (url: string) =>
      call(url, 'POST', `/v1/orgs/${orgId}/keys/${key.id}/revoke`, {
        key: owner,
        headers: { 'idempotency-key': `r-${key.id}` },
      })
    // A revocation is answered only when every process has confirmed it: this one does not, so the answer waits.
    await suspend(sleeper.process)
    const lost = revoke(doomed.url).catch(() => 'lost')
    await eventually(async () => {
      const { rows } = await database.owner.query(
        `select from idempotency_keys where key like '% ' || $1 and completed_at is not null`,
        [`r-${key.id}`],
      )
      return rows.length === 1
    })
    doomed.process.kill('SIGKILL')
    expect(await lost).toBe('lost')
    sleeper.process.kill('SIGKILL')
    const retried = await revoke(apis[0]!.url)
    expect(retried.status).toBe(200)
    expect(retried.headers.get('idempotent-replayed')).toBe('true')
    const { rows } = await database.owner.query(
      `select count(*)::int as n from audit_log where action = 'key.revoked' and target->>'id' = $1`,
      [key.id],
    )
    expect(rows[0]).toEqual({ n: 1 })
  })

  test('that only slept, and wakes after it was taken over, rolls back', async () => {
    const sleeper = await startApi(installation.environment)
    const name = freshName()
    const hold = await holdHandlers()
    const first = post(sleeper.url, `s-${name}`, name).catch(() => undefined)
    await hold.waiting(`s-${name}`)
    await suspend(sleeper.process)
    await hold.release()
    await eventually(async () => (await post(installation.apis[0]!.url, `s-${name}`, name)).status === 201)
    sleeper.process.kill('SIGCONT')
    const answer = await first
    expect([answer?.status ?? 503, answer?.headers.get('idempotent-replayed') ?? null]).not.toEqual([201, null])
    await eventually(async () => (await effects(name)) === 1)
    sleeper.process.kill('SIGTERM')
    await sleeper.exit
    expect(await effects(name)).toBe(1)
  })
})
