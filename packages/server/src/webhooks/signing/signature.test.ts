import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { deprecationHeaders } from '../../contract/deprecations/deprecations.ts'
import { type DeprecatedDelivery, deprecations } from '../../contract/deprecations/registry.ts'
import { createWebhookSecrets, newOrgSecret, newOwnSecret } from './secrets.ts'
import { signedHeaders } from './signature.ts'

const eventId = 'evt_01jbsteb4peb5vskx602h9mw4q'
const body = '{"id":"evt_01jbsteb4peb5vskx602h9mw4q","data":{"name":"größer — 𝄞"}}'
const now = new Date()
const nowMs = now.getTime()
const seconds = Math.floor(nowMs / 1_000)

const delivery = deprecations.find((entry): entry is DeprecatedDelivery => entry.kind === 'delivery')!
const deprecation = deprecationHeaders(delivery, 'https://docs.example.com')

/** The signature that a receiver computes, from the bytes it was sent. */
const hex = (secret: string, bytes: Buffer) =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(bytes).digest('hex')
const bytes = Buffer.from(body, 'utf8')
const stamped = (at: number) => Buffer.concat([Buffer.from(`${at}.`), bytes])

describe('under the organization’s secret', () => {
  const secret = newOrgSecret()
  const headers = signedHeaders({ version: 1, secret, deprecation }, { eventId, body, nowMs })

  test('the whole text of the secret signs the body’s bytes', () => {
    expect(headers['x-svc-signature']).toBe(`v1=${hex(secret, bytes)}`)
    expect(headers['x-svc-event-version']).toBe('1')
  })

  test('the three headers say that this ends, without a successor; Standard Webhooks headers are absent', () => {
    expect(headers).toMatchObject({
      deprecation: '@1784678400',
      sunset: 'Fri, 31 Dec 2027 23:59:59 GMT',
      link: '<https://docs.example.com>; rel="deprecation"',
    })
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
  })
})

describe('under secrets of its own', () => {
  const secret = newOwnSecret()
  const previous = newOwnSecret()
  const message = { eventId, body, nowMs }

  test('time and body are signed together', () => {
    const headers = signedHeaders({ version: 2, secrets: [secret] }, message)
    expect(headers['x-svc-signature']).toBe(`t=${seconds},v1=${hex(secret, stamped(seconds))}`)
    expect(headers['x-svc-event-version']).toBe('2')
    expect(Object.keys(headers)).not.toContain('deprecation')
  })

  test('during an overlap the old secret’s signature follows', () => {
    const headers = signedHeaders({ version: 2, secrets: [secret, previous] }, message)
    expect(headers['x-svc-signature']).toBe(
      `t=${seconds},v1=${hex(secret, stamped(seconds))},v1=${hex(previous, stamped(seconds))}`,
    )
  })

  test('an off-the-shelf verifier accepts either secret and no other', () => {
    const headers = signedHeaders({ version: 2, secrets: [secret, previous] }, message)
    for (const known of [secret, previous]) expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(newOwnSecret()).verify(body, headers)).toThrow('No matching signature')
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature')
  })

  test('each attempt is signed with its own time', () => {
    const later = signedHeaders({ version: 2, secrets: [secret] }, { ...message, nowMs: nowMs + 60_000 })
    expect(later['x-svc-signature']).toBe(`t=${seconds + 60},v1=${hex(secret, stamped(seconds + 60))}`)
    expect(later['webhook-id']).toBe(eventId)
    expect(later['webhook-timestamp']).toBe(String(seconds + 60))
  })
})

describe('the code of the guide', async () => {
  const guide = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8')
  const code = /```js\n(.*?)```/s.exec(guide)![1]!
  const { isGenuine, isGenuineV1 } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isGenuine: (body: string, header: string, secret: string, nowSeconds?: number) => boolean
    isGenuineV1: (body: string, header: string, secret: string) => boolean
  }
  const [secret, previous] = [newOwnSecret(), newOwnSecret()]
  const header = signedHeaders({ version: 2, secrets: [secret, previous] }, { eventId, body, nowMs })[
    'x-svc-signature'
  ]!

  test('accepts what we sign, under either secret, for five minutes', () => {
    for (const known of [secret, previous]) expect(isGenuine(body, header, known)).toBe(true)
    expect(isGenuine(body, header, secret, seconds + 300)).toBe(true)
    expect(isGenuine(body, header, secret, seconds + 301)).toBe(false)
    expect(isGenuine(body, header, secret, seconds - 301)).toBe(false)
  })

  test('refuses everything else', () => {
    expect(isGenuine(`${body} `, header, secret)).toBe(false)
    expect(isGenuine(body, header, newOwnSecret())).toBe(false)
    for (const odd of [
      '',
      't=',
      `t=${seconds}`,
      `t=${seconds},v1`,
      'v1=00',
      header.replace('t=', 't=-'),
      'x'.repeat(999),
    ])
      expect(isGenuine(body, odd, secret)).toBe(false)
  })

  test('says the same in Python', () => {
    const python = /```python\n(.*?)```/s.exec(guide)![1]!
    const old = newOrgSecret()
    const v1 = signedHeaders({ version: 1, secret: old, deprecation }, { eventId, body, nowMs })['x-svc-signature']!
    const asked: [string, string, string, number][] = [
      [body, header, secret, seconds],
      [body, header, previous, seconds + 300],
      [body, header, secret, seconds + 301],
      [`${body} `, header, secret, seconds],
      [body, header, newOwnSecret(), seconds],
      [body, 't=', secret, seconds],
      [body, `t=${seconds}`, secret, seconds],
      [body, 'v1=00', secret, seconds],
    ]
    const program = `${python}
import json, sys
asked, v1 = json.load(sys.stdin)
print(json.dumps([[is_genuine(b.encode(), h, s, n) for b, h, s, n in asked], [is_genuine_v1(b.encode(), h, s) for b, h, s in v1]]))`
    const input = JSON.stringify([
      asked,
      [
        [body, v1, old],
        [`${body} `, v1, old],
        [body, header, secret],
      ],
    ])
    const printed = execFileSync('python3', ['-c', program], { encoding: 'utf8', input })
    expect(JSON.parse(printed)).toEqual([
      asked.map(([given, text, known, now]) => isGenuine(given, text, known, now)),
      [true, false, false],
    ])
    expect(JSON.parse(printed)).toMatchObject([[true, true, false, false, false, false, false, false], {}])
  })

  test('knows the organization’s secret too', () => {
    const old = newOrgSecret()
    const v1 = signedHeaders({ version: 1, secret: old, deprecation }, { eventId, body, nowMs })['x-svc-signature']!
    expect(isGenuineV1(body, v1, old)).toBe(true)
    expect(isGenuineV1(`${body} `, v1, old)).toBe(false)
    expect(isGenuineV1(body, header, secret)).toBe(false)
  })
})

describe('sealed secrets', () => {
  const master = (...ids: string[]) => ({
    masterKeys: () => ids.map((id) => ({ id, bytes: Buffer.alloc(32, id) })),
  })
  const orgId = '0192f3a5-ac96-774b-bcce-b302099a8057'
  const subscriptionId = '0192f3a5-ac96-774b-bcce-b302099a8058'

  test('have 256 random bits', () => {
    expect(newOwnSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newOrgSecret()).toMatch(/^whorg_[A-Za-z0-9_-]{43}$/)
    expect(newOwnSecret()).not.toBe(newOwnSecret())
  })

  test('open for their owner only, and after the master key was rotated', () => {
    const sealed = createWebhookSecrets(master('old')).sealSecret({ orgId, subscriptionId }, 'whsec_x')
    const rotated = createWebhookSecrets(master('new', 'old'))
    expect(sealed.includes('whsec')).toBe(false)
    expect(rotated.unsealSecret({ orgId, subscriptionId }, sealed)).toBe('whsec_x')
    expect(() => rotated.unsealSecret({ orgId }, sealed)).toThrow('unable to authenticate')
    expect(() => rotated.unsealSecret({ orgId, subscriptionId: orgId }, sealed)).toThrow('unable to authenticate')
    expect(() => createWebhookSecrets(master('new')).unsealSecret({ orgId, subscriptionId }, sealed)).toThrow(
      'no longer configured',
    )
  })

  test('decide at the moment of an attempt how it is signed', () => {
    const secrets = createWebhookSecrets(master('k'))
    const row = {
      org_id: orgId,
      subscription_id: subscriptionId,
      sealed: null,
      sealed_previous: null,
      previous_until: null,
      org_sealed: secrets.sealSecret({ orgId }, 'whorg_o'),
    }
    expect(secrets.signingAt(nowMs, row, deprecation)).toEqual({ version: 1, secret: 'whorg_o', deprecation })
    const own = {
      ...row,
      org_sealed: null,
      sealed: secrets.sealSecret({ orgId, subscriptionId }, 'whsec_b'),
      sealed_previous: secrets.sealSecret({ orgId, subscriptionId }, 'whsec_a'),
      previous_until: now,
    }
    expect(secrets.signingAt(nowMs - 1, own, deprecation)).toEqual({ version: 2, secrets: ['whsec_b', 'whsec_a'] })
    expect(secrets.signingAt(nowMs, own, deprecation)).toEqual({ version: 2, secrets: ['whsec_b'] })
  })
})
