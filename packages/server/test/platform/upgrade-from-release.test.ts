import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appLogin, asAdmin, databaseUrl, dropDatabase } from '../../scripts/private-services.ts'
import { knownMigrations } from '../../src/platform/infra/schema.ts'
import { removeCheckout } from '../support/checkout.ts'
import { checkOutCommit, commitOfRelease } from '../support/earlier-version.ts'
import { environmentFor } from '../support/harness.ts'
import { startApi, startRole } from '../support/processes.ts'
import { programEnvironment } from '../support/programs.ts'
import { call } from '../support/tenants.ts'

/** What a release has left in its database is there, to the nano-dollar, after the upgrade to this version, and works. */

const release = '0.1.0'
const name = `weir_upgrade_${randomBytes(6).toString('hex')}`
const { checkout, program } = checkOutCommit(commitOfRelease(release))
const database = { ownerUrl: databaseUrl(name), appUrl: databaseUrl(name, appLogin) }
const environment = environmentFor(database)

beforeAll(() => asAdmin((admin) => admin.query(`create database ${name}`)))
afterAll(async () => {
  await dropDatabase(name)
  removeCheckout(checkout)
})

const body = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 }
const ending = { status: 'succeeded', input_tokens: 1_000, output_tokens: 500 }

/** Fills the database as the release does it; returns what its users know. */
async function useRelease() {
  expect(await startRole('migrate', environment, program).exit).toBe(0)
  const api = await startApi(environment, program)
  const minted = execFileSync(process.execPath, [program, 'create-operator-key', 'upgrade'], {
    env: { ...programEnvironment, ...environment },
    encoding: 'utf8',
  })
  const { key: operator } = JSON.parse(minted) as { key: string }
  const made = await call(api.url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Acme' } })
  const { id: orgId, owner_key } = made.json as unknown as { id: string; owner_key: { secret: string } }
  const ask = async (method: string, path: string, sent?: object, idempotencyKey?: string) => {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const answer = await call(api.url, method, path, { key: owner_key.secret, ...(sent && { body: sent }), headers })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer
  }
  const at = `/v1/orgs/${orgId}`
  const budget = await ask('POST', `${at}/budgets`, {
    name: 'all',
    scope_kind: 'org',
    limit_usd: '0.1',
    period: 'year',
  })
  const started = await Promise.all(
    Array.from({ length: 5 }, (_, i) => ask('POST', '/v1/runs', { ...body, external_id: `old-${i}` })),
  )
  const ids = started.map(({ json }) => String(json['id']))
  const finished = await Promise.all(ids.slice(1).map((id) => ask('POST', `/v1/runs/${id}/finish`, ending)))
  const decided = await ask('POST', '/v1/edge/decision', body, 'once')
  const bulk = { runs: [{ model: 'gpt-4o', cost_usd: '0.001', started_at: new Date().toISOString() }] }
  await ask('POST', '/v1/runs/bulk', bulk)
  const key = (await ask('POST', `${at}/keys`, { name: 'k', role: 'viewer', scopes: ['orgs:read'] })).json
  const revoked = (await ask('POST', `${at}/keys`, { name: 'r', role: 'viewer', scopes: ['orgs:read'] })).json
  await ask('POST', `${at}/keys/${String(revoked['id'])}/revoke`, {})
  const standing = (await ask('GET', `${at}/budgets/${String(budget.json['id'])}`)).json
  api.process.kill('SIGTERM')
  await api.exit
  expect(await startRole('verify', environment, program).exit).toBe(0)
  return {
    at,
    operator,
    owner: owner_key.secret,
    running: ids[0]!,
    finished: finished.map(({ json }) => json),
    decided: decided.text,
    key: String(key['secret']),
    revoked: String(revoked['secret']),
    standing,
  }
}

test(`a database of ${release} with money in it is upgraded, and nothing of it is lost`, async () => {
  const known = await useRelease()

  const check = startRole('migrate --check', environment)
  expect(await check.exit).toBe(1)
  expect(check.lines[0]).toMatchObject({ current: '0004_runs', old_version_may_restart: false })
  expect(await startRole('migrate', environment).exit).toBe(0)
  expect(await startRole('migrate', environment).exit).toBe(0)
  const verified = startRole('verify', environment)
  expect(await verified.exit).toBe(0)
  expect(verified.lines.at(-1)).toMatchObject({ drift_nano_usd: '0', faults: [] })

  const api = await startApi(environment)
  const ask = (method: string, path: string, sent?: object, more: { key?: string; once?: string } = {}) =>
    call(api.url, method, path, {
      key: more.key ?? known.owner,
      ...(sent && { body: sent }),
      ...(more.once !== undefined && { headers: { 'idempotency-key': more.once } }),
    })
  const budget = async () => (await ask('GET', `${known.at}/budgets/${String(known.standing['id'])}`)).json
  const money = ['limit_usd', 'spent_usd', 'held_usd', 'remaining_usd', 'period', 'enforcement']
  const amounts = (of: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(money.map((field) => [field, of[field]]))
  expect(amounts(await budget())).toEqual(amounts(known.standing))

  // Keys, also those of operators; one that was revoked stays so.
  expect((await ask('GET', '/v1/me', undefined, { key: known.key })).status).toBe(200)
  expect((await ask('GET', '/v1/me', undefined, { key: known.revoked })).status).toBe(410)
  expect((await ask('GET', '/v1/admin/orgs', undefined, { key: known.operator })).status).toBe(200)

  // What was running goes on, and what was finished says what it said.
  for (const old of known.finished) {
    const now = (await ask('GET', `/v1/runs/${String(old['id'])}`)).json
    for (const field of ['status', 'cost_usd', 'input_tokens', 'output_tokens', 'external_id', 'started_at'])
      expect(now[field], field).toEqual(old[field])
  }
  // An idempotency key belongs to its caller since, so one that the release has stored is new: the guide says so.
  const repeated = await ask('POST', '/v1/edge/decision', body, { once: 'once' })
  expect(repeated.status).toBe(200)
  expect(repeated.text).not.toBe(known.decided)
  const finished = await ask('POST', `/v1/runs/${known.running}/finish`, ending)
  expect([finished.status, finished.json['cost_usd']]).toEqual([200, known.finished[0]!['cost_usd']])

  // The limit holds where the release left it: what it has spent and held is not to be had again.
  let admitted = 0
  while ((await ask('POST', '/v1/edge/decision', body)).status === 200) admitted++
  const after = await budget()
  expect(admitted).toBeLessThan(5)
  expect(Number(after['spent_usd']) + Number(after['held_usd'])).toBeLessThanOrEqual(Number(after['limit_usd']))
  expect((await ask('GET', `${known.at}/audit-log/verify`)).json).toMatchObject({ valid: true })
  api.process.kill('SIGTERM')
  await api.exit
  expect(await startRole('verify', environment).exit).toBe(0)

  // There is no way back to it, and it says so.
  const back = startRole('api', environment, program)
  expect(await back.exit).toBe(1)
  expect(JSON.stringify(back.lines.at(-1))).toContain(knownMigrations().at(-1))
})
