import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../support/harness.ts'
import { mintOver, startInstallation } from '../support/installation.ts'
import { eventually } from '../support/processes.ts'
import { rounds, whileAsleep } from '../support/rounds.ts'
import { call } from '../support/tenants.ts'

const database = useDatabase()
let installation: Awaited<ReturnType<typeof startInstallation>>
beforeAll(async () => {
  installation = await startInstallation(database, 3)
})

const use = (url: string, key: string) => call(url, 'GET', '/v1/me', { key })
/** Uses a key until the process recognizes it without looking at its secret again. */
async function getUsedTo(url: string, key: string) {
  for (let i = 0; i < 3; i++) expect((await use(url, key)).status).toBe(200)
}
const revokeOver = (url: string, id: string) =>
  call(url, 'POST', `/v1/orgs/${installation.orgId}/keys/${id}/revoke`, { key: installation.owner })

test(`a key revoked on one process is refused by another on its next request, ${rounds} times out of ${rounds}`, async () => {
  const { apis, orgId, owner } = installation
  const [first, second] = [apis[0]!.url, apis[1]!.url]
  const outcomes = new Map<number, number>()
  for (let i = 0; i < rounds; i++) {
    const key = await mintOver(first, orgId, owner)
    await getUsedTo(second, key.secret)
    expect((await revokeOver(first, key.id)).status).toBe(200)
    const { status } = await use(second, key.secret)
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
  }
  expect([...outcomes]).toEqual([[410, rounds]])
})

test('likewise when the connections for notifications are cut', async () => {
  const { apis, orgId, owner } = installation
  for (let i = 0; i < 10; i++) {
    const key = await mintOver(apis[0]!.url, orgId, owner)
    await getUsedTo(apis[1]!.url, key.secret)
    await database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()`,
    )
    expect((await revokeOver(apis[0]!.url, key.id)).status).toBe(200)
    expect((await use(apis[1]!.url, key.secret)).status).toBe(410)
  }
})

test('a key in use without a pause, however its header is spelled, is refused from its revocation on', async () => {
  const { apis, orgId, owner } = installation
  const key = await mintOver(apis[0]!.url, orgId, owner)
  const spellings = [`Bearer ${key.secret}`, `bearer ${key.secret}`, `BEARER   ${key.secret}`]
  const uses: { startedMs: number; status: number }[] = []
  const end = new AbortController()
  const callers = apis.slice(0, 2).flatMap(({ url }) =>
    spellings.map(async (authorization) => {
      while (!end.signal.aborted) {
        const startedMs = performance.now()
        const { status } = await call(url, 'GET', '/v1/me', { headers: { authorization } })
        uses.push({ startedMs, status })
      }
    }),
  )
  try {
    await eventually(() => uses.length > 100)
    expect(uses.every(({ status }) => status === 200)).toBe(true)
    expect((await revokeOver(apis[0]!.url, key.id)).status).toBe(200)
    const answeredMs = performance.now()
    const afterwards = () => uses.filter(({ startedMs }) => startedMs >= answeredMs)
    await eventually(() => afterwards().length > 100)
    expect(afterwards().filter(({ status }) => status !== 410)).toEqual([])
  } finally {
    end.abort()
    await Promise.all(callers)
  }
})

test('a process that slept through a revocation refuses the key when it wakes', async () => {
  const { apis, orgId, owner } = installation
  const sleeper = apis[1]!
  const key = await mintOver(apis[0]!.url, orgId, owner)
  await getUsedTo(sleeper.url, key.secret)
  await whileAsleep(sleeper, async () => {
    // Answered once the sleeper's lease has run out, and not before.
    const started = performance.now()
    expect((await revokeOver(apis[0]!.url, key.id)).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
  expect((await use(sleeper.url, key.secret)).status).toBe(410)
})

test('a suspended organization, a changed address list and a killed process are noticed the same way', async () => {
  const { apis, orgId, owner, operator } = installation
  const [first, second] = [apis[0]!.url, apis[1]!.url]
  const admin = (path: string) => call(first, 'POST', `/v1/admin/orgs/${orgId}/${path}`, { key: operator })
  await getUsedTo(second, owner)
  expect((await admin('suspend')).status).toBe(200)
  expect((await use(second, owner)).json.error?.code).toBe('org_suspended')
  expect((await admin('resume')).status).toBe(200)
  await getUsedTo(second, owner)

  const allow = (list: string[]) =>
    call(first, 'PUT', `/v1/orgs/${orgId}/ip-allow-list`, { key: owner, body: { ip_allow_list: list, force: true } })
  expect((await allow(['127.0.0.0/8'])).status).toBe(200)
  await getUsedTo(second, owner)

  apis[2]!.process.kill('SIGKILL')
  await apis[2]!.exit
  const key = await mintOver(first, orgId, owner)
  await getUsedTo(second, key.secret)
  expect((await revokeOver(first, key.id)).status).toBe(200)
  expect((await use(second, key.secret)).status).toBe(410)
})

test('a rotated key works through its overlap and then ends as expired', async () => {
  const { apis, orgId, owner } = installation
  const [first, second] = [apis[0]!.url, apis[1]!.url]
  const rotate = (id: string, overlap: number) =>
    call(first, 'POST', `/v1/orgs/${orgId}/keys/${id}/rotate`, { key: owner, body: { overlap_seconds: overlap } })
  const kept = await mintOver(first, orgId, owner)
  const replaced = await rotate(kept.id, 3_600)
  await getUsedTo(second, kept.secret)
  expect((await use(second, String(replaced.json['secret']))).status).toBe(200)
  const ended = await mintOver(first, orgId, owner)
  await getUsedTo(second, ended.secret)
  await rotate(ended.id, 0)
  expect((await use(second, ended.secret)).json.error?.code).toBe('key_expired')
})
