import type { OpenAPIV3_1 } from 'openapi-types'
import { beforeAll, describe, expect, test } from 'vitest'
import { ensureAuditPartitions, recordAll } from '../../src/access/audit/audit.ts'
import { mintKey, secretKeyring, secretMac } from '../../src/access/identity/identity.ts'
import { formatId, newUuid } from '../../src/values/id.ts'
import { keyring, recordOf } from '../support/audit.ts'
import { documentOf } from '../support/document.ts'
import { useServer } from '../support/harness.ts'

const server = useServer()
const orgId = newUuid()
const actorId = formatId('key', newUuid())
let key: string

beforeAll(async () => {
  const { platform } = server
  const minted = mintKey(platform.config.cell)
  key = minted.text
  const { id, bytes } = secretKeyring(platform).current
  await ensureAuditPartitions(platform.sql, platform.clock.now())
  await platform.sql.asOrgs([orgId], async (tx) => {
    await tx.insertInto('orgs').values({ id: orgId, name: 'Audited' }).execute()
    await tx
      .insertInto('api_keys')
      .values({
        org_id: orgId,
        id: minted.id,
        lineage_id: minted.id,
        name: 'auditor',
        role: 'admin',
        scopes: ['audit:read'],
        mac: secretMac(bytes, minted.secret),
        mac_key_id: id,
      })
      .execute()
    const records = Array.from({ length: 250 }, (_, i) =>
      recordOf(i, i % 10 === 0 ? { actor: { kind: 'key', id: actorId, role: 'owner' }, outcome: 'denied' } : {}),
    )
    await recordAll(tx, keyring, orgId, records)
  })
})

async function ask(path: string, method = 'GET') {
  const response = await fetch(`${server.url}/v1/orgs/${formatId('org', orgId)}/audit-log${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

async function all(query: string) {
  const entries: Record<string, unknown>[] = []
  let cursor = ''
  do {
    const { status, body } = await ask(`?limit=40&${query}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    entries.push(...body.data)
    cursor = body.next_cursor ?? ''
  } while (cursor)
  return entries
}

describe('the list', () => {
  test('has every entry once, in either order', async () => {
    const expected = Array.from({ length: 250 }, (_, i) => String(i + 1))
    expect((await all('')).map(({ seq }) => seq)).toEqual(expected)
    expect((await all('sort=-created_at')).map(({ seq }) => seq)).toEqual(expected.toReversed())
  })

  test('shows an entry as it was recorded', async () => {
    const [, entry] = await all('')
    expect(entry).toEqual({
      id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
      seq: '2',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      actor: { kind: 'key', id: 'key_1', role: 'admin' },
      action: 'key.revoked',
      target: { kind: 'key', id: 'key_target_1' },
      outcome: 'allowed',
      before: recordOf(1).before,
      after: JSON.parse(JSON.stringify(recordOf(1).after)),
      address: '203.0.113.7',
      trace_id: '00000000000000000000000000000001',
      count: 1,
      reason: expect.stringMatching(/^because a,b /),
    })
  })

  test('can be filtered', async () => {
    expect(await all('outcome=denied')).toHaveLength(25)
    expect(await all(`actor_id=${actorId}`)).toHaveLength(25)
    expect(await all('action=org.updated')).toHaveLength(83)
    expect(await all('target_id=key_target_7')).toHaveLength(1)
    expect(await all('to=2020-01-01')).toEqual([])
    expect(await all('from=2020-01-01&action=key.created&outcome=denied')).toHaveLength(9)
  })

  test.each([
    ['sort=seq', 'sort', 'unknown_sort_field'],
    ['outcome=perhaps', 'outcome', 'invalid_filter'],
    ['actor_id=org_1', 'actor_id', 'invalid_filter'],
    ['from=2026-02-30', 'from', 'invalid_filter'],
    ['from=2026-01-01&to=2027-01-02', 'to', 'out_of_range'],
    ['cursor=abc', 'cursor', 'invalid_value'],
  ])('refuses ?%s', async (query, field, code) => {
    const { status, body } = await ask(`?${query}`)
    expect(status).toBe(422)
    expect(body.error.details.fields).toEqual([expect.objectContaining({ field, code })])
  })
})

describe('the export', () => {
  // The header; a target with a line break takes two lines.
  const csvLines = 1 + 250 + 50
  test.each([
    ['', 'application/x-ndjson; charset=utf-8', 250],
    ['?format=csv', 'text/csv; charset=utf-8; header=present', csvLines],
    ['?format=cef', 'text/plain; charset=utf-8', 250],
    ['?format=ocsf', 'application/x-ndjson; charset=utf-8', 250],
  ])('answers %s with its type', async (query, type, lines) => {
    const { status, headers, text } = await ask(`/export${query}`)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(text.trimEnd().split('\n')).toHaveLength(lines)
  })

  test('goes on from a cursor', async () => {
    const { text } = await ask('/export')
    const { cursor } = JSON.parse(text.split('\n')[199]!)
    expect((await ask(`/export?cursor=${cursor}`)).text).toBe(text.split('\n').slice(200).join('\n'))
  })

  test('answers HEAD without a body', async () => {
    const { status, headers, text } = await ask('/export?format=cef', 'HEAD')
    expect([status, headers.get('content-type'), text]).toEqual([200, 'text/plain; charset=utf-8', ''])
  })

  test.each([
    ['from=2026-01-01&to=2027-01-02', 'to', 'out_of_range'],
    ['from=2020-01-01', 'to', 'out_of_range'],
    ['from=2026-13-01', 'from', 'invalid_filter'],
    ['format=xml', 'format', 'invalid_filter'],
    ['cursor=WyJ4IiwiMSJd', 'cursor', 'invalid_value'],
    ['limit=3', 'limit', 'invalid_filter'],
  ])('refuses ?%s', async (query, field, code) => {
    const { status, body } = await ask(`/export?${query}`)
    expect(status).toBe(422)
    const message: unknown = expect.stringContaining(code === 'out_of_range' ? '90' : '')
    expect(body.error.details.fields).toEqual([expect.objectContaining({ field, code, message })])
  })

  test('of exactly the last 90 days needs no end', async () => {
    const from = new Date(server.platform.clock.now().getTime() - 90 * 86_400_000).toISOString()
    expect((await ask(`/export?from=${from}`)).status).toBe(200)
  })
})

test('verification says how far the chain is sound', async () => {
  expect((await ask('/verify')).body).toEqual({
    entries: 250,
    first_seq: '1',
    head: { seq: '250', mac: expect.stringMatching(/^[0-9a-f]{64}$/) },
    valid: true,
    next_cursor: null,
  })
})

test('the export is documented with the type of each format', async () => {
  const document = await documentOf(server.url)
  const { responses } = document.paths!['/v1/orgs/{id}/audit-log/export']!.get!
  expect(Object.keys((responses['200'] as OpenAPIV3_1.ResponseObject).content!)).toEqual([
    'application/x-ndjson',
    'text/csv',
    'text/plain',
  ])
})
