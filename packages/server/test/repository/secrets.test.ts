import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { environmentFor, useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

/** A collector of traces; whatever it is sent must be as free of secrets as the rest. */
const received: Buffer[] = []
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => received.push(chunk))
  request.on('end', () => response.end())
})
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
afterAll(() => collector.close())

const server = useServer({
  environment: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    SVC_ACCESS_LOG: 'all',
  },
})

test('no secret is in logs, traces, errors, audit, metrics or a dump of the database', async () => {
  const answers: string[] = []
  const secrets: string[] = []
  const keep = (token: string) => {
    secrets.push(token.split('_')[2]!)
    return token
  }
  const ask = async (method: string, path: string, options: Parameters<typeof call>[3] = {}) => {
    const answer = await call(server.url, method, path, options)
    answers.push(answer.text)
    return answer
  }

  const operator = keep((await operatorOf(server)).key)
  const acme = await tenantOf(server, operator)
  keep(acme.key)
  const made = await call(server.url, 'POST', `/v1/orgs/${acme.id}/keys`, {
    key: acme.key,
    headers: { 'idempotency-key': 'planted' },
    body: { name: 'k', role: 'viewer', scopes: ['orgs:read'] },
  })
  const planted = keep(String(made.json['secret']))
  const rotated = await call(server.url, 'POST', `/v1/orgs/${acme.id}/keys/${String(made.json['id'])}/rotate`, {
    key: acme.key,
  })
  keep(String(rotated.json['secret']))
  const grant = await call(server.url, 'POST', '/v1/admin/support-grants', {
    key: operator,
    body: { org_id: acme.id, scope: 'read', reason: 'planted', duration_seconds: 600 },
  })
  const token = keep(String(grant.json['token']))

  await ask('GET', `/v1/orgs/${acme.id}`, { key: token })
  await ask('PATCH', `/v1/orgs/${acme.id}`, { key: token, body: { name: 'x' } })
  await ask('GET', `/v1/orgs/${acme.id}/keys`, { key: planted })
  await ask('GET', `/v1/orgs/${acme.id}/keys?cursor=${planted}`, { key: acme.key })
  await ask('GET', `/v1/${planted}`, { key: planted })
  await ask('POST', `/v1/orgs/${acme.id}/keys`, { key: acme.key, body: `{"name":"${planted}"` })
  await ask('GET', '/v1/me', { headers: { authorization: `Basic ${planted}` } })
  await ask('GET', `/v1/orgs/${acme.id}/keys`, { key: acme.key })
  await ask('GET', `/v1/orgs/${acme.id}/support-grants`, { key: acme.key })
  await ask('GET', `/v1/orgs/${acme.id}/audit-log`, { key: acme.key })
  await ask('GET', `/v1/orgs/${acme.id}/audit-log/export`, { key: acme.key })
  await ask('GET', '/metrics')
  const expired = await keyOf(server, acme.id, { expiresAt: new Date(0) })
  await ask('GET', '/v1/me', { key: keep(expired.key) })
  await server.platform.tracing.close()

  const environment = environmentFor({ ownerUrl: '', appUrl: '' })
  secrets.push(environment.SVC_MASTER_KEYS.split(':')[1]!)
  const dump = execFileSync('pg_dump', [server.database.ownerUrl], { encoding: 'utf8', maxBuffer: 1 << 28 })
  const places: Record<string, string> = {
    logs: JSON.stringify(server.logs),
    traces: Buffer.concat(received).toString('latin1'),
    answers: answers.join('\n'),
    dump,
  }
  expect(places['traces']!.length).toBeGreaterThan(0)
  expect(dump).toContain('First owner')
  for (const [place, text] of Object.entries(places)) {
    expect(
      secrets.filter((secret) => text.includes(secret)),
      place,
    ).toEqual([])
  }
})
