import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditKeyring, recordAll } from '../../src/access/audit/audit.ts'
import { reportUses } from '../../src/commands/master-keys/master-keys.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openSql, type Sql } from '../../src/platform/infra/sql.ts'
import { requireId } from '../../src/values/id.ts'
import { parseMasterKeys } from '../../src/values/keyring.ts'
import { secret as hidden } from '../../src/values/secret.ts'
import { recordOf } from '../support/audit.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { eventually, type RunningRole, startApi, startRole } from '../support/processes.ts'
import { programEnvironment } from '../support/programs.ts'
import { useReceiver } from '../support/receiver.ts'
import { call } from '../support/tenants.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const database = useDatabase()
const receiver = useReceiver()
const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [first, second, third] = [keyOf('first'), keyOf('second'), keyOf('third')]

const environment = (masterKeys: string) =>
  environmentFor(database, {
    SVC_MASTER_KEYS: masterKeys,
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
  })

type Report = Awaited<ReturnType<typeof reportUses>>
interface Printed extends Report {
  moved?: Record<string, number>
  revoked?: number
}

const command = (masterKeys: string, ...args: string[]) =>
  execFileSync(process.execPath, [main, ...args], {
    env: { ...programEnvironment, ...environment(masterKeys) },
    encoding: 'utf8',
  })
const rekey = (masterKeys: string, ...args: string[]) => JSON.parse(command(masterKeys, 'rekey', ...args)) as Printed
const usesOf = ({ uses }: Pick<Report, 'uses'>, keyId: string) =>
  Object.fromEntries(uses.filter(({ key_id }) => key_id === keyId).map(({ kind, uses: count }) => [kind, count]))

const stop = async (role: RunningRole) => {
  role.process.kill()
  expect(await role.exit).toBe(0)
}

/** The running API under some master keys. */
async function running<T>(masterKeys: string, work: (url: string) => Promise<T>): Promise<T> {
  const api = await startApi(environment(masterKeys))
  try {
    return await work(api.url)
  } finally {
    await stop(api)
  }
}

let sql: Sql
beforeAll(() => {
  sql = openSql({
    url: hidden(database.appUrl),
    maxConnections: 2,
    applicationName: 'test',
    log: createLog({ level: 'fatal', role: 'test' }),
  })
})
afterAll(() => sql.close())

/** What the command reports, without the time that a process takes to start. */
const report = (masterKeys: string) => reportUses(sql, parseMasterKeys(masterKeys)!)

interface Made {
  operator: string
  orgId: string
  owner: string
  service: string
  idle: { id: string; secret: string }
  token: string
  orgSecret: string
  own: { id: string; secret: string; previous: string }
  shared: { id: string }
}
let made: Made

beforeAll(async () => {
  const { key: operator } = JSON.parse(command(first, 'create-operator-key', 'test')) as { key: string }
  made = await running(first, async (url) => {
    const ask = async (method: string, path: string, key: string, body?: object) => {
      const answer = await call(url, method, path, { key, ...(body && { body }) })
      expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
      return answer.json as Record<string, string>
    }
    const org = (await ask('POST', '/v1/admin/orgs', operator, { name: 'Acme' })) as unknown as {
      id: string
      owner_key: { secret: string }
    }
    const at = `/v1/orgs/${org.id}`
    const owner = org.owner_key.secret
    const mint = (name: string) =>
      ask('POST', `${at}/keys`, owner, { name, role: 'viewer', scopes: ['orgs:read'] }) as unknown as Promise<{
        id: string
        secret: string
      }>
    const service = await mint('service')
    await ask('GET', '/v1/me', service.secret)
    const idle = await mint('idle')
    const { token } = await ask('POST', '/v1/admin/support-grants', operator, {
      org_id: org.id,
      scope: 'read',
      reason: 'a question',
      duration_seconds: 3_600,
    })
    const shared = await ask('POST', `${at}/webhooks`, owner, { url: `${receiver.url}/shared` })
    const own = await ask('POST', `${at}/webhooks`, owner, { url: `${receiver.url}/own`, signing: 'subscription' })
    const rotated = await ask('POST', `${at}/webhooks/${own['id']}/signing/rotate`, owner, { overlap_seconds: 3_600 })
    const { secret: orgSecret } = await ask('GET', `/v1/admin/orgs/${org.id}/webhook-secret`, owner)
    return {
      operator,
      orgId: org.id,
      owner,
      service: service.secret,
      idle,
      token: token!,
      orgSecret: orgSecret!,
      own: { id: own['id']!, secret: rotated['secret']!, previous: own['secret']! },
      shared: { id: shared['id']! },
    }
  })
})

const audit = (url: string) => call(url, 'GET', `/v1/orgs/${made.orgId}/audit-log/verify`, { key: made.owner })

describe('a rotation of the master key', { timeout: 240_000 }, () => {
  test('begins with a report of what hangs on the old one', async () => {
    const printed = rekey(`${second},${first}`, '--report')
    expect(printed).toMatchObject({ newest: 'second', removable: [], missing: [] })
    // The operator's, the owner's, the one in service and the idle one; each of the three webhook secrets that are in use.
    expect(usesOf(printed, 'first')).toEqual({ api_keys: 4, support_grants: 1, webhook_secrets: 3, audit_chains: 2 })
    const keys = printed.uses.find(({ kind }) => kind === 'api_keys')!
    expect(keys.never_used).toBe(1)
    expect(keys.last_used_at).toMatch(/^\d{4}-/)
    expect((await report(second)).missing).toEqual(['first'])
  })

  test('moves what is sealed with one command, which can be given again', () => {
    const { moved, ...printed } = rekey(`${second},${first}`)
    // An organization's secret, and a subscription with two.
    expect(moved).toEqual({ webhook_secrets: 2, sso_secrets: 0, slack_secrets: 0, audit_chains: 2, audit_keys: 1 })
    expect(usesOf(printed, 'first')).toEqual({ api_keys: 4, support_grants: 1 })
    expect(rekey(`${second},${first}`).moved).toEqual({
      webhook_secrets: 0,
      sso_secrets: 0,
      slack_secrets: 0,
      audit_chains: 0,
      audit_keys: 0,
    })
  })

  test('moves the hash of a key when the key is next used, and of no other', async () => {
    await running(`${second},${first}`, async (url) => {
      for (const key of [made.operator, made.owner, made.service, made.token])
        expect((await call(url, 'GET', '/v1/me', { key })).status).toBe(200)
      const idle = { api_keys: 1 }
      await eventually(async () => isDeepStrictEqual(usesOf(await report(`${second},${first}`), 'first'), idle))
      for (const key of [made.owner, made.token]) expect((await call(url, 'GET', '/v1/me', { key })).status).toBe(200)
      const wrong = `${made.idle.secret.slice(0, -1)}${made.idle.secret.endsWith('0') ? '1' : '0'}`
      expect((await call(url, 'GET', '/v1/me', { key: wrong })).status).toBe(401)
    })
    expect(usesOf(await report(`${second},${first}`), 'first')).toEqual({ api_keys: 1 })
  })

  test('ends: keys that nobody uses are revoked on request, and the old one can be removed', async () => {
    expect(rekey(`${second},${first}`, '--revoke-unused-since=2020-01-01').revoked).toBe(0)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const printed = rekey(`${second},${first}`, `--revoke-unused-since=${tomorrow}`)
    expect(printed).toMatchObject({ revoked: 1, removable: ['first'], missing: [] })

    await running(second, async (url) => {
      for (const key of [made.operator, made.owner, made.service, made.token])
        expect((await call(url, 'GET', '/v1/me', { key })).status).toBe(200)
      expect((await call(url, 'GET', '/v1/me', { key: made.idle.secret })).status).toBe(401)

      const at = `/v1/orgs/${made.orgId}`
      const shared = await call(url, 'GET', `/v1/admin/orgs/${made.orgId}/webhook-secret`, { key: made.owner })
      expect(shared.json['secret']).toBe(made.orgSecret)
      for (const { id } of [made.own, made.shared])
        expect((await call(url, 'POST', `${at}/webhooks/${id}/test`, { key: made.owner })).status).toBeLessThan(300)
      const worker = startRole('worker', environment(second))
      await eventually(() => receiver.at('/own').length > 0 && receiver.at('/shared').length > 0)
      await stop(worker)
      const [delivery] = receiver.at('/own')
      for (const key of [made.own.secret, made.own.previous]) new Webhook(key).verify(delivery!.body, delivery!.headers)

      const entries = await call(url, 'GET', `${at}/audit-log?action=master_key.handed_over`, { key: made.owner })
      expect(entries.json['data']).toMatchObject([{ after: { master_key: 'second', retired: ['first'] } }])
      expect((await audit(url)).json).toMatchObject({ valid: true })
      const revoked = await call(url, 'GET', `${at}/keys/${made.idle.id}`, { key: made.owner })
      expect(revoked.json['status']).toBe('revoked')
    })
  })

  test('can be followed by another', async () => {
    await running(`${third},${second}`, async (url) => {
      for (const key of [made.operator, made.owner, made.service, made.token])
        expect((await call(url, 'GET', '/v1/me', { key })).status).toBe(200)
      await eventually(async () => !('api_keys' in usesOf(await report(`${third},${second}`), 'second')))
      expect(rekey(`${third},${second}`)).toMatchObject({ removable: ['second'], missing: [] })
    })
    await running(third, async (url) => {
      expect((await call(url, 'GET', '/v1/me', { key: made.service })).status).toBe(200)
      // Entries of three times, one key configured.
      expect((await audit(url)).json).toMatchObject({ valid: true })
    })
  })

  test('leaves whoever has the old key nothing to write on the record', async () => {
    const orgId = requireId('org', made.orgId)
    const forge = (masterKeys: string) =>
      sql.asOrgs([orgId], (tx) => recordAll(tx, auditKeyring(parseMasterKeys(masterKeys)!), orgId, [recordOf(1)]))
    await forge(first)
    // Also where the program has gone on from there.
    await forge(third)
    await running(third, async (url) => {
      expect((await audit(url)).json).toMatchObject({ valid: false, first_bad: { reason: 'retired_key' } })
    })
  })
})

test.each([['--dance'], ['--report', '--report'], ['--revoke-unused-since=yesterday']])(
  'rekey %s is explained',
  async (...args) => {
    expect(() => command(first, 'rekey', ...args)).toThrow(/Usage/)
  },
)
