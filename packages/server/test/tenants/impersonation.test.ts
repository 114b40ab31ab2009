import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../src/contract/errors.ts'
import { parseId } from '../../src/values/id.ts'
import { useDatabase, useServer } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { startApi } from '../support/processes.ts'
import { exchange, request } from '../support/raw-http.ts'
import { type Answer, call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** Every request under a support grant is on the organization's record before its answer leaves. */

interface Grant {
  readonly id: string
  readonly token: string
}

interface Entry {
  readonly action: string
  readonly outcome: string
  readonly address: string
  readonly after: { readonly status: number; readonly path: string }
}

async function issue(url: string, operator: string, orgId: string, scope = 'read'): Promise<Grant> {
  const body = { org_id: orgId, scope, reason: 'Ticket 1', duration_seconds: 600 }
  return (await call(url, 'POST', '/v1/admin/support-grants', { key: operator, body })).json as unknown as Grant
}

async function recordOf(url: string, org: { id: string; key: string }, { id }: Grant): Promise<Entry[]> {
  const answer = await call(url, 'GET', `/v1/orgs/${org.id}/audit-log?actor_id=${id}&limit=200`, { key: org.key })
  return answer.json['data'] as Entry[]
}

const told = ({ action, outcome, after }: Entry) => ({ action, outcome, ...after })

describe('on one process', () => {
  const server = useServer({
    environment: { SVC_BODY_LIMIT_BYTES: '2000' },
    domain: (app) => {
      app.get(
        '/v1/test/slow',
        { config: { role: 'viewer', scope: 'orgs:read' }, schema: { operationId: 'slow' } },
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 4_000))
          return { secret: 'late' }
        },
      )
      app.get(
        '/v1/test/shed',
        { config: { role: 'viewer', scope: 'orgs:read' }, schema: { operationId: 'shed' } },
        () => {
          throw new ApiError('service_unavailable')
        },
      )
    },
    configure: (config) => ({ ...config, handlerTimeoutSeconds: 3 }),
  })
  let operator: string
  let acme: Tenant
  beforeAll(async () => {
    operator = (await operatorOf(server)).key
    acme = await tenantOf(server, operator)
  })

  const ask = (method: string, path: string, key: string, body?: unknown) =>
    call(server.url, method, path, { key, ...(body !== undefined && { body }) })
  const grant = (scope?: string) => issue(server.url, operator, acme.id, scope)
  const raw = (method: string, path: string, { token }: Grant, headers: Record<string, string> = {}) =>
    exchange(server.port, [request(method, path, { authorization: `Bearer ${token}`, ...headers })])

  /** Asks once under a grant and says what its record has the moment the answer is there. */
  async function onRecord(send: (grant: Grant) => Promise<{ status: number }>, issued?: Grant) {
    const made = issued ?? (await grant())
    const before = await recordOf(server.url, acme, made)
    const { status } = await send(made)
    const after = await recordOf(server.url, acme, made)
    return { status, entries: after.slice(before.length).map(told) }
  }

  const revoked = async () => {
    const made = await grant()
    await ask('POST', `/v1/orgs/${acme.id}/support-grants/${made.id}/revoke`, acme.key)
    return made
  }
  const expired = async () => {
    const made = await grant()
    const sql = `update support_grants set expires_at = now() - interval '1 second' where id = $1`
    await withOwner((owner) => owner.query(sql, [parseId('grant', made.id)]))
    return made
  }
  const withOwner = async <T>(work: (owner: pg.Client) => Promise<T>) => {
    const owner = new pg.Client({ connectionString: server.database.ownerUrl })
    await owner.connect()
    try {
      return await work(owner)
    } finally {
      await owner.end()
    }
  }

  const org = () => `/v1/orgs/${acme.id}`
  const cases: [
    name: string,
    send: (grant: Grant) => Promise<{ status: number }>,
    entry: { action: string; status: number; path?: () => string },
    issued?: () => Promise<Grant>,
  ][] = [
    ['a read', ({ token }) => ask('GET', org(), token), { action: 'GET /v1/orgs/{id}', status: 200, path: org }],
    [
      'a read of the head alone',
      ({ token }) => ask('HEAD', org(), token),
      { action: 'HEAD /v1/orgs/{id}', status: 200 },
    ],
    [
      'a change outside its scope',
      ({ token }) => ask('PATCH', org(), token, { name: 'x' }),
      { action: 'PATCH /v1/orgs/{id}', status: 403 },
    ],
    [
      'a query that is refused',
      ({ token }) => ask('GET', `${org()}/budgets?limit=abc`, token),
      { action: 'GET /v1/orgs/{id}/budgets', status: 422 },
    ],
    [
      'a body that is too large',
      ({ token }) => ask('PATCH', org(), token, { name: 'x'.repeat(3_000) }),
      { action: 'PATCH /v1/orgs/{id}', status: 413 },
      () => grant('configuration'),
    ],
    [
      'a body that is no JSON',
      ({ token }) => ask('PATCH', org(), token, '{'),
      { action: 'PATCH /v1/orgs/{id}', status: 422 },
      () => grant('configuration'),
    ],
    ['a revoked grant', ({ token }) => ask('GET', org(), token), { action: 'GET /v1/orgs/{id}', status: 410 }, revoked],
    [
      'an expired grant',
      ({ token }) => ask('GET', org(), token),
      { action: 'GET /v1/orgs/{id}', status: 401 },
      expired,
    ],
    [
      'an unmatched path',
      ({ token }) => ask('GET', '/v1/nothing/here?x=1', token),
      { action: 'GET (unmatched)', status: 404, path: () => '/v1/nothing/here' },
    ],
    [
      'an unmatched path outside /v1',
      ({ token }) => ask('GET', '/nothing', token),
      { action: 'GET (unmatched)', status: 404 },
    ],
    ['an unmatched method', ({ token }) => ask('DELETE', org(), token), { action: 'DELETE (unmatched)', status: 404 }],
    [
      'an unmatched path with a revoked grant',
      ({ token }) => ask('GET', '/v1/nothing', token),
      { action: 'GET (unmatched)', status: 404 },
      revoked,
    ],
    [
      'a path with a malformed percent-encoding',
      (made) => raw('GET', '/v1/orgs/%zz', made),
      { action: 'GET /v1/orgs/{id}', status: 400, path: () => '/v1/orgs/%zz' },
    ],
    [
      'a query with a malformed percent-encoding',
      (made) => raw('GET', `${org()}?x=%zz`, made),
      { action: 'GET /v1/orgs/{id}', status: 400, path: org },
    ],
    [
      'an expectation that nobody meets',
      (made) => raw('GET', org(), made, { expect: 'miracles' }),
      { action: 'GET /v1/orgs/{id}', status: 400 },
    ],
    [
      'a request without a host',
      ({ token }) => exchange(server.port, [`GET ${org()} HTTP/1.1\r\nauthorization: Bearer ${token}\r\n\r\n`]),
      { action: 'GET /v1/orgs/{id}', status: 400 },
    ],
    [
      'an organization of others',
      ({ token }) => ask('GET', '/v1/orgs/org_01h455vb4pex5vsknk084sn02q', token),
      { action: 'GET /v1/orgs/{id}', status: 404 },
    ],
    [
      'the admin surface',
      ({ token }) => ask('GET', '/v1/admin/orgs', token),
      { action: 'GET /v1/admin/orgs', status: 403 },
    ],
    [
      'an export',
      ({ token }) => ask('GET', `${org()}/audit-log/export`, token),
      { action: 'GET /v1/orgs/{id}/audit-log/export', status: 200 },
    ],
    [
      'a handler that takes too long',
      ({ token }) => ask('GET', '/v1/test/slow', token),
      { action: 'GET /v1/test/slow', status: 503 },
    ],
    [
      'a handler that gives up',
      ({ token }) => ask('GET', '/v1/test/shed', token),
      { action: 'GET /v1/test/shed', status: 503 },
    ],
  ]
  test.each(cases)('%s is on record, with the status that was sent', async (_name, send, entry, issued) => {
    const { status, entries } = await onRecord(send, await issued?.())
    expect(status).toBe(entry.status)
    expect(entries).toEqual([
      {
        action: `request ${entry.action}`,
        outcome: status < 400 ? 'allowed' : 'denied',
        status,
        path: entry.path?.() ?? entries[0]?.path,
      },
    ])
  })

  test('a late handler neither changes the answer that is on record nor adds another', async () => {
    const made = await grant()
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('GET', '/v1/test/slow', made.token)))
    for (const { status, text } of answers) {
      expect(status).toBe(503)
      expect(text).not.toContain('late')
    }
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect((await recordOf(server.url, acme, made)).map(({ after }) => after.status)).toEqual(Array(8).fill(503))
  })

  test('a request that is refused for its rate is on record', async () => {
    const limited = await tenantOf(server, operator, 'Limited')
    const made = await issue(server.url, operator, limited.id)
    const limits = { read_rpm: null, policies: [{ kind: 'requests', per: 'key', amount: 1, window_seconds: 3600 }] }
    expect((await ask('PUT', `/v1/admin/orgs/${limited.id}/rate-limits`, operator, limits)).status).toBe(200)
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await ask('GET', `/v1/orgs/${limited.id}`, made.token)).status)
    expect(statuses).toContain(429)
    await ask('PUT', `/v1/admin/orgs/${limited.id}/rate-limits`, operator, { read_rpm: null, policies: [] })
    expect((await recordOf(server.url, limited, made)).map(({ after }) => after.status)).toEqual(statuses)
  })

  test('a request into a suspended organization is on record', async () => {
    const closed = await tenantOf(server, operator, 'Suspended')
    const made = await issue(server.url, operator, closed.id)
    await ask('POST', `/v1/admin/orgs/${closed.id}/suspend`, operator, {})
    expect((await ask('GET', `/v1/orgs/${closed.id}`, made.token)).status).toBe(403)
    await ask('POST', `/v1/admin/orgs/${closed.id}/resume`, operator, {})
    expect((await recordOf(server.url, closed, made)).map(({ after }) => after.status)).toEqual([403])
  })

  test('a change has the entry of its effect and exactly one of its request', async () => {
    const made = await grant('configuration')
    expect((await ask('PATCH', org(), made.token, { name: 'Acme & Sons' })).status).toBe(200)
    expect((await recordOf(server.url, acme, made)).map(({ action }) => action)).toEqual([
      'org.updated',
      'request PATCH /v1/orgs/{id}',
    ])
  })

  test('parallel reads have one entry each', async () => {
    const made = await grant()
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask('GET', org(), made.token)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await recordOf(server.url, acme, made)).toHaveLength(40)
  })

  test('what cannot be put on record is not served', async () => {
    const made = await grant()
    expect((await ask('GET', org(), made.token)).status).toBe(200)
    const refused = await withOwner(async (owner) => {
      await owner.query('revoke insert on audit_log from weir_app')
      try {
        return await Promise.all([
          ask('GET', org(), made.token),
          ask('GET', `${org()}/audit-log/export`, made.token),
          ask('GET', '/v1/nothing', made.token),
          raw('GET', '/v1/orgs/%zz', made),
        ])
      } finally {
        await owner.query('grant insert on audit_log to weir_app')
      }
    })
    for (const { status, text } of refused) {
      expect(status).toBe(503)
      expect((JSON.parse(text) as Answer['json']).error).toMatchObject({ code: 'service_unavailable' })
    }
    expect((await ask('GET', org(), made.token)).status).toBe(200)
    expect(await recordOf(server.url, acme, made)).toHaveLength(2)
  })

  test('keys of the organization leave no such entries, matched or not', async () => {
    const made = await tenantOf(server, operator, 'Quiet')
    for (const path of [`/v1/orgs/${made.id}`, '/v1/nothing', '/v1/me']) await ask('GET', path, made.key)
    await raw('GET', '/v1/orgs/%zz', { id: '', token: made.key })
    const { json } = await ask('GET', `/v1/orgs/${made.id}/audit-log`, made.key)
    expect((json['data'] as Entry[]).filter(({ action }) => action.startsWith('request'))).toEqual([])
  })
})

describe('when the process is killed the moment it has answered', () => {
  const database = useDatabase()
  let installation: Awaited<ReturnType<typeof startInstallation>>
  beforeAll(async () => {
    installation = await startInstallation(database, 1)
  })

  /** Five requests under a grant to a process that is killed after its last answer; the statuses on record elsewhere. */
  async function surviving(planted?: string) {
    const { apis, operator, orgId, owner, environment } = installation
    const doomed = await startApi({
      ...environment,
      ...(planted !== undefined && { NODE_OPTIONS: `--import ${planted}` }),
    })
    const made = await issue(apis[0]!.url, operator, orgId)
    const attempts: [method: string, path: string, status: number, body?: unknown][] = [
      ['GET', '', 200],
      ['GET', '/keys', 200],
      ['PUT', '/spend-cap', 403, { cap_usd: '1' }],
      ['GET', '/budgets?limit=abc', 422],
      ['GET', '/webhooks', 200],
    ]
    for (const [method, path, status, body] of attempts) {
      const answer = await call(doomed.url, method, `/v1/orgs/${orgId}${path}`, { key: made.token, body })
      expect(answer.status, path).toBe(status)
    }
    doomed.process.kill('SIGKILL')
    await doomed.exit
    const entries = await recordOf(apis[0]!.url, { id: orgId, key: owner }, made)
    return entries.map(({ after }) => after.status)
  }

  test('all of its requests are on record', async () => {
    expect(await surviving()).toEqual([200, 200, 403, 422, 200])
  })

  test('and a program that writes after it answers is found out', async () => {
    const late = new URL('../support/planted-late-record.ts', import.meta.url).href
    expect((await surviving(late)).length).toBeLessThan(5)
  })
})
