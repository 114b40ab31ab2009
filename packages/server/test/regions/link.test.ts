import { describe, expect, test } from 'vitest'
import { type ForwardedCaller } from '../../src/regions/link/claims.ts'
import { createNonces } from '../../src/regions/link/nonces.ts'
import { createLinkSignatures, credentialDigest, digestOf, type NewClaims } from '../../src/regions/link/signature.ts'
import { parseMasterKeys } from '../../src/values/keyring.ts'
import { bind, counted, guessedKey, linkKeys, tenantIn, useCells } from '../support/cells.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startRole } from '../support/processes.ts'
import { exchange, request } from '../support/raw-http.ts'
import { type Answer, call, type Tenant } from '../support/tenants.ts'

const { eu, us } = useCells({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '40' } })
const keys = (text: string) => parseMasterKeys(text)!
const masterKeys = keys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
const otherKey = Buffer.alloc(32, 1).toString('base64')
const signatures = createLinkSignatures(keys(linkKeys), masterKeys)
const publicId = ({ key }: Tenant) => /([0-7][0-9a-z]{25})_/.exec(key)![1]!

const internal: NewClaims = { purpose: 'internal', from: 'eu1', to: 'us1', digest: digestOf('') }
const client: ForwardedCaller = { address: '203.0.113.9', host: 'localhost' }
const forwardOf = (key: string, more: Partial<NewClaims> = {}): NewClaims => ({
  purpose: 'forward',
  from: 'eu1',
  to: 'us1',
  digest: credentialDigest({ authorization: `Bearer ${key}` }),
  caller: client,
  ...more,
})

interface Signing {
  readonly signer?: typeof signatures
  readonly claims?: NewClaims
  readonly method?: string
  readonly target?: string
  readonly skewMs?: number
}

/** Sends a signed request to the cell in the US, as another cell would; what is signed may be something else than what is sent. */
function sendSigned(path: string, signing: Signing = {}, headers: Record<string, string> = {}): Promise<Answer> {
  const { signer = signatures, claims = internal, method = 'GET', target = path, skewMs = 0 } = signing
  const { header } = signer.sign({ method, target }, claims, Date.now() + skewMs)
  return call(us.server.url, 'GET', path, { headers: { ...headers, 'x-svc-cell-link': header } })
}

describe('a route between cells', () => {
  test('tells another cell where an organization lives, and nothing else', async () => {
    const tenant = await tenantIn(us)
    const answer = await sendSigned(`/internal/directory/${publicId(tenant)}`)
    expect([answer.status, answer.json]).toEqual([200, { home: 'us1', region: 'us', residency: 'none', epoch: 1 }])
    const ofOrg = await sendSigned(`/internal/directory/${tenant.id.slice('org_'.length)}`)
    expect(ofOrg.json).toEqual(answer.json)
    expect((await sendSigned(`/internal/directory/0${'1'.repeat(25)}`)).status).toBe(404)
    expect((await sendSigned('/internal/directory/x')).status).toBe(404)
  })

  test('is not there for anybody else, by any spelling of its path, with any key', async () => {
    const tenant = await tenantIn(us)
    const id = publicId(tenant)
    const paths = [
      `/internal/directory/${id}`,
      '/internal/cell',
      '/internal/..%2finternal/cell',
      `/v1/..%2f..%2finternal%2fdirectory%2f${id}`,
      `/v1/%2e%2e/internal/directory/${id}`,
      `/v1/../internal/directory/${id}`,
      `/v1/orgs/..%2f..%2finternal%2fcell`,
      `//internal/cell`,
      `/internal//cell`,
      `/INTERNAL/cell`,
      `/internal/cell/`,
      `http://us1/internal/cell`,
    ]
    for (const port of [us.server.port, eu.server.port])
      for (const path of paths)
        for (const headers of [{}, { authorization: `Bearer ${tenant.key}` }]) {
          const { status, text } = await exchange(port, [request('GET', path, headers)])
          expect(status, `${path} ${text}`).toBeGreaterThanOrEqual(400)
          expect(JSON.parse(text), path).toHaveProperty('error.code')
          expect(text).not.toContain('us1')
        }
    expect((await call(us.server.url, 'GET', '/v1/openapi.json')).text).not.toContain('/internal/')
  })

  test('answers what is signed, and is believed when it has signed too', async () => {
    const { header, nonce } = signatures.sign({ method: 'GET', target: '/internal/cell' }, internal, Date.now())
    const answer = await call(us.server.url, 'GET', '/internal/cell', { headers: { 'x-svc-cell-link': header } })
    const signature = answer.headers.get('x-svc-cell-answer') ?? ''
    expect(signatures.isAnswer(nonce, signature, 200, answer.text)).toBe(true)
    expect(signatures.isAnswer(nonce, signature, 200, `${answer.text} `)).toBe(false)
    expect(signatures.isAnswer(nonce, signature, 404, answer.text)).toBe(false)
    expect(signatures.isAnswer('A'.repeat(22), signature, 200, answer.text)).toBe(false)
  })
})

describe('a signature is refused', () => {
  const path = '/internal/cell'
  const refusals = (reason: string) => counted(us, 'svc_cell_link_refusals_total', { reason })
  const stranger = createLinkSignatures(keys(linkKeys.replace(/:.*/, `:${otherKey}`)), masterKeys)
  const removed = createLinkSignatures(keys(`removed:${otherKey}`), masterKeys)
  const cases: [string, string, Signing][] = [
    ['of whoever has another key of this name', 'forged', { signer: stranger }],
    ['by a key that was removed', 'unknown_key', { signer: removed }],
    ['for another path', 'forged', { target: '/internal/directory/x' }],
    ['for another method', 'forged', { method: 'POST' }],
    ['from two minutes ago', 'stale', { skewMs: -120_000 }],
    ['from two minutes ahead', 'stale', { skewMs: 120_000 }],
    ['of a cell that is not listed', 'unknown_cell', { claims: { ...internal, from: 'xx1' } }],
    ['of this cell itself', 'unknown_cell', { claims: { ...internal, from: 'us1' } }],
    ['for another cell', 'other_cell', { claims: { ...internal, to: 'us2' } }],
    ['for the request of a caller', 'other_use', { claims: forwardOf('') }],
    ['over another body', 'altered', { claims: { ...internal, digest: digestOf('x') } }],
  ]
  test.each(cases)('%s: %s', async (_name, reason, signing) => {
    const before = await refusals(reason)
    const answer = await sendSigned(path, signing)
    expect([answer.status, answer.json.error?.code]).toEqual([401, 'unauthorized'])
    expect(await refusals(reason)).toBe(before + 1)
  })

  test('the second time, by whichever process', async () => {
    const { header } = signatures.sign({ method: 'GET', target: path }, internal, Date.now())
    const send = () => call(us.server.url, 'GET', path, { headers: { 'x-svc-cell-link': header } })
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status)
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 401, 401])
    const one = createNonces(us.server.platform, 60_000)
    const other = createNonces(us.server.platform, 60_000)
    const nonce = 'B'.repeat(22)
    expect([await one.use(nonce), await other.use(nonce), await one.use(nonce)]).toEqual([true, false, false])
  })

  test('in a spelling that nobody has signed', async () => {
    const { header } = signatures.sign({ method: 'GET', target: path }, internal, Date.now())
    for (const altered of [`${header}=`, `${header}.x`, header.replace('.', '..'), `${header}, ${header}`, 'x', '.'])
      expect((await call(us.server.url, 'GET', path, { headers: { 'x-svc-cell-link': altered } })).status).toBe(401)
  })

  test('not while keys are rotated: a cell signs with its newest key, and knows the older one', () => {
    const newer = `newer:${otherKey}`
    const ahead = createLinkSignatures(keys(`${newer},${linkKeys}`), masterKeys)
    const behind = createLinkSignatures(keys(`${linkKeys},${newer}`), masterKeys)
    const what = { method: 'GET', target: path }
    for (const [from, to] of [
      [ahead, behind],
      [behind, ahead],
      [signatures, behind],
      [signatures, ahead],
    ] as const)
      expect(to.verify(what, from.sign(what, internal, 0).header)).toMatchObject({ from: 'eu1' })
    expect(signatures.verify(what, ahead.sign(what, internal, 0).header)).toBe('unknown_key')
  })
})

describe('a report of a refusal', () => {
  const path = '/internal/refusals'
  const refused = { method: 'GET', path: '/v1/me', status: 403, traceId: 'a'.repeat(32) }

  test('is taken from another cell only, about whoever holds the token, and is nothing else', async () => {
    const tenant = await tenantIn(us)
    const authorization = `Bearer ${tenant.key}`
    const digest = credentialDigest({ authorization })
    const claims: NewClaims = { purpose: 'refusal', from: 'eu1', to: 'us1', digest, caller: client, refused }
    const send = (signing: Signing, to = path) => {
      const { header } = signatures.sign({ method: 'POST', target: to }, signing.claims ?? claims, Date.now())
      return call(us.server.url, 'POST', to, { headers: { authorization, 'x-svc-cell-link': header } })
    }
    expect((await send({})).status).toBe(200)
    expect((await call(us.server.url, 'POST', path, { key: tenant.key })).status).toBe(404)
    for (const wrong of [
      forwardOf(tenant.key),
      { ...internal },
      { ...claims, digest: credentialDigest({ authorization: 'Bearer x' }) },
    ])
      expect((await send({ claims: wrong })).json.error?.code).toBe('unauthorized')
    const { refused: _none, ...empty } = claims
    expect((await send({ claims: empty })).json.error?.code).toBe('unauthorized')
    // Nor does a report open a route of callers.
    expect((await send({}, '/v1/runs')).json.error?.code).toBe('unauthorized')
  })
})

describe('what somebody reads on the link', () => {
  test('is of no use to them: the very bytes again, with another body, or at another cell', async () => {
    const tenant = await tenantIn(us)
    const path = `/v1/orgs/${tenant.id}/budgets`
    const sent: Buffer[] = []
    us.way.watch = (chunk) => sent.push(chunk)
    const body = { name: 'once', scope_kind: 'org', limit_usd: '5', period: 'month' }
    const made = await call(eu.server.url, 'POST', path, { key: tenant.key, body })
    us.way.watch = undefined
    expect(made.status).toBe(201)
    const bytes = Buffer.concat(sent).toString('latin1')
    const captured = bytes.slice(bytes.indexOf(`POST ${path}`))
    expect(captured).toContain('x-svc-cell-link: ')
    const other = captured.replace('"limit_usd":"5"', '"limit_usd":"9"')
    const without = captured.replace(/x-svc-cell-link: .*\r\n/, 'x-svc-cell-link: \r\n')
    const elsewhere = captured.replace(path, `/v1/orgs/${tenant.id}/freeze`)
    for (const [port, copy] of [
      [us.server.port, captured],
      [us.server.port, other],
      [us.server.port, without],
      [us.server.port, elsewhere],
      [eu.server.port, captured],
    ] as const)
      expect((await exchange(port, [copy])).status).toBe(401)
    const { json } = await call(us.server.url, 'GET', path, { key: tenant.key })
    expect(json['data']).toHaveLength(1)
  })
})

describe('a request that claims to be forwarded', () => {
  test('is refused when a client says so, with its own key, at any cell', async () => {
    const [there, here] = [await tenantIn(us), await tenantIn(eu)]
    for (const { url } of [us.server, eu.server])
      for (const { key } of [there, here])
        for (const header of ['x', signatures.sign({ method: 'GET', target: '/' }, internal, Date.now()).header]) {
          const { status, json } = await call(url, 'GET', '/v1/me', { key, headers: { 'x-svc-cell-link': header } })
          expect([status, json.error?.code]).toEqual([401, 'unauthorized'])
        }
  })

  test('has the address that its cell says, once, with the credential that it had there', async () => {
    const tenant = await tenantIn(us)
    const list = { ip_allow_list: [client.address], force: true }
    await call(us.server.url, 'PUT', `/v1/orgs/${tenant.id}/ip-allow-list`, { key: tenant.key, body: list })
    const authorization = `Bearer ${tenant.key}`
    expect((await sendSigned('/v1/me', { claims: forwardOf(tenant.key) }, { authorization })).status).toBe(200)
    const other = await tenantIn(us)
    const swapped = await sendSigned(
      '/v1/me',
      { claims: forwardOf(tenant.key) },
      { authorization: `Bearer ${other.key}` },
    )
    expect(swapped.status).toBe(401)
    const unlisted = forwardOf(tenant.key, { caller: { ...client, address: '198.51.100.1' } })
    const refused = await sendSigned('/v1/me', { claims: unlisted }, { authorization })
    expect(refused.json.error?.code).toBe('ip_not_allowed')
  })

  test('opens no route between cells, nor does a signature for those open anything else', async () => {
    const { key } = await tenantIn(us)
    const authorization = `Bearer ${key}`
    expect((await sendSigned('/internal/cell', { claims: forwardOf(key) }, { authorization })).status).toBe(401)
    const digest = credentialDigest({ authorization })
    expect((await sendSigned('/v1/me', { claims: { ...internal, digest } }, { authorization })).status).toBe(401)
  })

  test('is judged by residency once more, by the region of the cell that has signed', async () => {
    const tenant = await tenantIn(us)
    await bind(us, tenant)
    const authorization = `Bearer ${tenant.key}`
    const from = async (cell: string) => {
      const { status, json } = await sendSigned(
        '/v1/me',
        { claims: forwardOf(tenant.key, { from: cell }) },
        { authorization },
      )
      return json.error?.code ?? status
    }
    expect(await from('eu1')).toBe('residency_violation')
    expect(await from('us2')).toBe(200)
  })

  test('is never forwarded again: 503 when its organization does not live there', async () => {
    const { key } = await tenantIn(eu)
    const authorization = `Bearer ${key}`
    const before = await counted(us, 'svc_cell_lookups_total', { cell: 'eu1', outcome: 'found' })
    const { status, json } = await sendSigned('/v1/me', { claims: forwardOf(key) }, { authorization })
    expect([status, json.error?.code]).toEqual([503, 'service_unavailable'])
    expect(await counted(us, 'svc_cell_lookups_total', { cell: 'eu1', outcome: 'found' })).toBe(before)
  })
})

describe('keys that nobody has', () => {
  const asked = async () =>
    (await counted(eu, 'svc_cell_lookups_total', { cell: 'us1', outcome: 'unknown' })) +
    (await counted(eu, 'svc_cell_lookups_total', { cell: 'us1', outcome: 'failed' }))

  test('are refused as everywhere; one that is sent often is asked for once, a cell that is not listed never', async () => {
    const { key } = await tenantIn(us)
    const before = await asked()
    const unknown = guessedKey(key, true)
    const sent = Array.from({ length: 20 }, () => call(eu.server.url, 'GET', '/v1/me', { key: unknown }))
    const codes = new Set((await Promise.all(sent)).map(({ json }) => json.error?.code))
    expect([...codes]).toEqual(['unauthorized'])
    expect((await asked()) - before).toBeLessThan(5)
    const middle = await asked()
    const unlisted = guessedKey(key.replace('weir_us1', 'weir_zz9'), true)
    expect((await call(eu.server.url, 'GET', '/v1/me', { key: unlisted })).json.error?.code).toBe('unauthorized')
    expect(await asked()).toBe(middle)
  })

  test('slow their own sender down, and nobody who has a key', async () => {
    const [first, second] = [await tenantIn(us), await tenantIn(us)]
    const sent = Array.from({ length: 80 }, () =>
      call(eu.server.url, 'GET', '/v1/me', { key: guessedKey(first.key, true) }),
    )
    const flood = Promise.all(sent)
    for (const { key } of [first, second])
      expect((await call(eu.server.url, 'GET', '/v1/me', { key })).status).toBe(200)
    const codes = new Set((await flood).map(({ json }) => json.error?.code))
    expect(codes).toContain('rate_limited')
  })
})

describe('a link key that was removed', () => {
  const database = useDatabase()

  test('opens nothing from the first request on, on a cell that is still running with it', async () => {
    const { key } = await tenantIn(us)
    const start = (keysOfLink: string) =>
      startRole(
        'api',
        environmentFor(database, {
          SVC_CELL: 'eu1',
          SVC_REGION: 'eu',
          SVC_CELLS: JSON.stringify([{ name: 'us1', region: 'us', url: us.server.url }]),
          SVC_CELL_LINK_KEYS: keysOfLink,
        }),
      )
    const newer = `newer:${otherKey}`
    // The cell in the US knows the older key alone: to it, the newer one is as good as removed.
    const [known, removed] = [start(linkKeys), start(`${newer},${linkKeys}`)]
    const ask = async (role: typeof known) => {
      const { url } = await role.line(({ message }) => message === 'serving')
      const { status, json } = await call(String(url), 'GET', '/v1/me', { key })
      return json.error?.code ?? status
    }
    const before = await counted(us, 'svc_cell_link_refusals_total', { reason: 'unknown_key' })
    expect([await ask(known), await ask(removed), await ask(known)]).toEqual([200, 'service_unavailable', 200])
    expect(await counted(us, 'svc_cell_link_refusals_total', { reason: 'unknown_key' })).toBeGreaterThan(before)
    for (const role of [known, removed]) {
      role.process.kill()
      expect(await role.exit).toBe(0)
    }
  })
})

describe('a start', () => {
  const database = useDatabase()
  const listing = (region: string) => JSON.stringify([{ name: 'us1', region, url: us.server.url }])
  const start = (more: Record<string, string>) =>
    startRole(
      'api',
      environmentFor(database, {
        SVC_CELL: 'us2',
        SVC_REGION: 'us',
        SVC_CELLS: listing('us'),
        SVC_CELL_LINK_KEYS: linkKeys,
        ...more,
      }),
    )

  test('is refused where another cell has other master keys, or stands in another region than is listed', async () => {
    const otherInstallation = start({ SVC_MASTER_KEYS: `test:${otherKey}` })
    const mistaken = start({ SVC_CELLS: listing('eu') })
    expect([await otherInstallation.exit, await mistaken.exit]).toEqual([1, 1])
    const said = ({ lines }: typeof mistaken) => lines.map(({ message }) => message).join('\n')
    expect(said(otherInstallation)).toContain('other SVC_MASTER_KEYS')
    expect(said(otherInstallation)).not.toContain(otherKey)
    expect(said(mistaken)).toContain('it stands in us')
  })

  test('needs no other cell', async () => {
    const alone = start({ SVC_CELLS: JSON.stringify([{ name: 'us1', region: 'us', url: 'http://127.0.0.1:1' }]) })
    await alone.line(({ message }) => message === 'serving')
    expect(alone.lines.some(({ message }) => message?.includes('did not introduce itself'))).toBe(true)
    alone.process.kill()
    expect(await alone.exit).toBe(0)
  })
})
