import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { knownMigrations } from '../../src/platform/infra/schema.ts'
import { lastOf } from '../../src/values/present.ts'
import { removeCheckout } from '../support/checkout.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { makeNextRelease } from '../support/next-release.ts'
import { eventually, startApi, startRole } from '../support/processes.ts'
import { call } from '../support/tenants.ts'

const database = useDatabase()
const newest = lastOf(knownMigrations())

// What a release may do while the one before it runs: add what that one does not know and does not have to.
const next = makeNextRelease(
  '0901_next',
  `set local lock_timeout = '5s';
   alter table orgs add column next_note text;
   alter table holds add column next_note text;
   create table next_notes (id int primary key);
   insert into schema_compatibility (migration, min_compatible)
   values ('0901_next', '${newest}');`,
)
afterAll(() => removeCheckout(next.checkout))

interface Check {
  readonly current: string
  readonly pending: readonly { migration: string; min_compatible: string | null }[]
  readonly old_version_may_restart: boolean
  readonly newer: readonly string[]
  readonly problem: string | null
}

/** What `migrate --check` of a version prints, and what it ends with. */
async function checkOf(program?: string) {
  const check = startRole('migrate --check', environmentFor(database), program)
  const code = await check.exit
  return { code, ...(check.lines[0] as unknown as Check) }
}

const migrateBy = (program?: string) =>
  startRole('migrate', environmentFor(database, { SVC_MIGRATE_DATABASE_URL: database.ownerUrl }), program).exit

/** Callers, one call after the other, through what a load balancer would send them to. */
function startLoad(urls: readonly string[], key: string) {
  const load = { urls: [...urls], served: new Map<string, number>(), failures: [] as string[], calls: 0, isOver: false }
  const caller = async () => {
    while (!load.isOver) {
      const url = load.urls[load.calls++ % load.urls.length]!
      const body = { model: 'gpt-4o', input_tokens: 100, max_output_tokens: 100 }
      const started = await call(url, 'POST', '/v1/runs', { key, body })
      const path = `/v1/runs/${String(started.json['id'])}/finish`
      const ended = await call(url, 'POST', path, {
        key,
        body: { status: 'succeeded', input_tokens: 100, output_tokens: 10 },
      })
      for (const { status, text } of [started, ended]) if (status >= 300) load.failures.push(`${status} ${text}`)
      load.served.set(url, (load.served.get(url) ?? 0) + 1)
      // The processes that start beside it want the machine too.
      await pause(20)
    }
  }
  const callers = Promise.all(Array.from({ length: 4 }, caller))
  return {
    load,
    /** Resolves when every process in rotation has served some more. */
    goesOn: async () => {
      const before = new Map(load.served)
      await eventually(() => load.urls.every((url) => (load.served.get(url) ?? 0) >= (before.get(url) ?? 0) + 5))
    },
    end: async () => {
      load.isOver = true
      await callers
    },
  }
}

test('the next release is rolled out and rolled back under load without a failed request', {
  timeout: 480_000,
}, async () => {
  const { apis, owner, environment, operator, orgId } = await startInstallation(database, 2, { SVC_DRAIN_SECONDS: '1' })
  const rates = { org: { rpm: 1_000_000 } }
  await call(apis[0]!.url, 'PUT', `/v1/admin/orgs/${orgId}/rate-limits`, { key: operator, body: rates })
  const { load, goesOn, end } = startLoad(
    apis.map(({ url }) => url),
    owner,
  )
  /** Replaces one process after the other by one of another version. */
  const roll = async (program?: string) => {
    for (const [i, old] of apis.entries()) {
      const made = await startApi(environment, program)
      load.urls[i] = made.url
      old.process.kill('SIGTERM')
      expect(await old.exit).toBe(0)
      apis[i] = made
      await goesOn()
    }
  }
  await goesOn()

  expect(await checkOf(next.program)).toMatchObject({
    code: 1,
    current: newest,
    pending: [{ migration: '0901_next', min_compatible: newest }],
    old_version_may_restart: true,
  })
  expect(await migrateBy(next.program)).toBe(0)
  await goesOn()
  expect(await checkOf(next.program)).toMatchObject({ code: 0, pending: [], problem: null })
  await roll(next.program)

  // Back, with the schema as it is. A pipeline runs the older version's migrate as ever.
  expect(await migrateBy()).toBe(0)
  expect(await checkOf()).toMatchObject({ code: 0, current: '0901_next', pending: [], newer: ['0901_next'] })
  await roll()
  expect(apis[0]!.lines).toContainEqual(expect.objectContaining({ level: 'warn', migrations: ['0901_next'] }))
  await end()
  expect(load.failures).toEqual([])
  expect(await startRole('verify', environment).exit).toBe(0)
  for (const { process } of apis) process.kill('SIGTERM')
  await Promise.all(apis.map(({ exit }) => exit))
})

test('a version does not start on a schema that has lost what it needs', async () => {
  const lost = '0902_contract'
  await database.owner.query(`insert into schema_migrations (name, run_on) values ('${lost}', now())`)
  await database.owner.query(`insert into schema_compatibility values ('${lost}', '0901_next')`)
  const refused = startRole('api', environmentFor(database))
  expect(await refused.exit).toBe(1)
  const message = refused.lines.at(-1)!.message
  expect(message).toContain(`The database has ${lost}, which this version of the program does not know`)
  expect(message).not.toContain('0901_next')
  expect(await checkOf()).toMatchObject({ code: 1, newer: expect.arrayContaining([lost]), problem: message })
})
