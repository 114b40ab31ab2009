import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { useServer } from '../../support/harness.ts'
import {
  assertionAnswer,
  type Faults,
  newPasskey,
  registrationAnswer,
  type TestPasskey,
} from '../../support/passkeys/authenticator.ts'
import { invite, Visitor } from '../../support/passkeys/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

// Other tests fail from the same address at the same time.
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})
afterEach(() => {
  vi.restoreAllMocks()
})

let count = 0
const newEmail = () => `eve${(count += 1)}@acme.example`
const stranger = () => new Visitor(server.port)
const owner = (text: string) => asDatabaseOwner(server.database.ownerUrl, text)

/** Somebody who was just invited and has opened their link. */
async function newcomer() {
  const visitor = stranger()
  await visitor.openLink((await invite(server.url, acme, newEmail())).link)
  return visitor
}

/** Somebody with a passkey, in a session that it opened. */
async function member(): Promise<{ visitor: Visitor; passkey: TestPasskey }> {
  const visitor = await newcomer()
  return { visitor, passkey: await visitor.enrol() }
}

const isIn = async (visitor: Visitor) => (await visitor.me()).status === 200
const later = (minutes: number) => {
  const real = server.platform.clock.now
  const shift = minutes * 60_000
  vi.spyOn(server.platform.clock, 'now').mockImplementation(() => new Date(new Date().getTime() + shift))
  return real
}

/** Replaces a function of the database by a weak one for a while: the planted weakness. */
async function weakly<T>(name: string, weak: string, work: () => Promise<T>): Promise<T> {
  const [{ text }] = (await owner(`select pg_get_functiondef('${name}'::regproc) as text`)) as [{ text: string }]
  await owner(weak)
  try {
    return await work()
  } finally {
    await owner(text)
  }
}

const faults: Record<string, Faults> = {
  'made on a page of somebody else': { client: { origin: 'https://evil.example' } },
  'made on another port': { client: { origin: 'http://localhost:1' } },
  'for another service': { rpId: 'evil.example' },
  'to another challenge': { client: { challenge: randomBytes(32).toString('base64url') } },
  'of a person who was not verified': { isUnverified: true },
  'without a person': { isAbsent: true },
  'made in a frame': { client: { crossOrigin: true } },
}

describe('signing in with an answer', () => {
  test.each(
    Object.entries({
      ...faults,
      'to the other question': { client: { type: 'webauthn.create' } },
      'for somebody else': { handle: randomBytes(16) },
      'with a forged signature': { bend: () => Buffer.from('3006020101020101', 'hex') },
    } satisfies Record<string, Faults>),
  )('%s opens nothing', async (_, fault) => {
    const { passkey } = await member()
    const visitor = stranger()
    const refused = await visitor.signIn(passkey, fault)
    expect([refused.status, visitor.cookies.size]).toEqual([401, 0])
    expect(refused.text).toContain('This passkey was not accepted')
    expect((await visitor.signIn(passkey)).status, 'the honest answer is let in').toBe(303)
    expect(await isIn(visitor)).toBe(true)
  })

  test('that was given before opens nothing; it would if challenges were not used up', async () => {
    const { passkey } = await member()
    const [first, again] = [stranger(), stranger()]
    const answer = assertionAnswer(passkey, await first.askToSignIn())
    for (const [name, value] of first.cookies) again.cookies.set(name, value)
    const replay = again.copy()
    expect((await first.post('/console/signin/passkey', { answer })).status).toBe(303)
    expect((await again.post('/console/signin/passkey', { answer })).status).toBe(401)
    expect(again.cookies.size).toBe(0)
    const weak = `create or replace function use_passkey_challenge(wanted bytea, until timestamptz) returns boolean
      language sql volatile security definer set search_path = public begin atomic select true; end`
    const planted = await weakly('use_passkey_challenge', weak, () =>
      replay.post('/console/signin/passkey', { answer }),
    )
    expect(planted.status, 'the planted weakness lets it in').toBe(303)
  })

  test('to the challenge of another browser opens nothing; with its cookie it does', async () => {
    const { passkey } = await member()
    const [victim, thief] = [stranger(), stranger()]
    const answer = assertionAnswer(passkey, await victim.askToSignIn())
    await thief.askToSignIn()
    expect((await thief.post('/console/signin/passkey', { answer })).status).toBe(401)
    expect((await stranger().post('/console/signin/passkey', { answer })).status, 'nor without any').toBe(401)
    expect((await victim.post('/console/signin/passkey', { answer })).status).toBe(303)
  })

  test('to a challenge that is too old, changed, or made for something else opens nothing', async () => {
    const { passkey, visitor: enrolling } = await member()
    const visitor = stranger()
    const answer = assertionAnswer(passkey, await visitor.askToSignIn())
    const [name = '', token = ''] = [...visitor.cookies][0] ?? []
    const [keyId, body = '', seal] = token.split('.')
    const read = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    const longer = Buffer.from(JSON.stringify({ ...read, endsMs: 9e15 })).toString('base64url')
    for (const changed of [
      `${keyId}.${longer}.${seal}`,
      `${keyId}.${body}`,
      `${token}.x`,
      `x${token}`,
      token.slice(0, -1),
    ]) {
      const forger = new Visitor(server.port, new Map([[name, changed]]))
      expect((await forger.post('/console/signin/passkey', { answer })).status).toBe(401)
    }
    const asked = await enrolling.askToAdd()
    const other = assertionAnswer(passkey, asked!.ask)
    expect((await enrolling.post('/console/signin/passkey', { answer: other })).status).toBe(401)
    later(6)
    expect((await visitor.copy().post('/console/signin/passkey', { answer })).status).toBe(401)
    vi.restoreAllMocks()
    expect((await visitor.post('/console/signin/passkey', { answer })).status).toBe(303)
  })

  test('with the passkey of one person under the id of another’s opens nothing', async () => {
    const [victim, mallory] = [await member(), await member()]
    const stolen = { ...mallory.passkey, id: victim.passkey.id }
    for (const handle of [victim.passkey.handle, mallory.passkey.handle])
      expect((await stranger().signIn({ ...stolen, handle })).status).toBe(401)
    expect((await stranger().signIn(mallory.passkey)).status).toBe(303)
  })

  test('of an authenticator that counts backwards opens nothing, and of two with one count only one', async () => {
    const visitor = await newcomer()
    const asked = await visitor.askToAdd()
    const passkey = { ...newPasskey(asked!.handle), counter: 10 }
    expect((await visitor.add(registrationAnswer(passkey, asked!.ask))).status).toBe(303)
    const with_ = (counter: number) => stranger().signIn(passkey, { counter })
    expect((await with_(12)).status).toBe(303)
    for (const counter of [12, 11, 0]) expect((await with_(counter)).status, String(counter)).toBe(401)
    const copies = await Promise.all([20, 20, 20, 20].map(with_))
    expect(copies.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  test('is sent by a page of ours: somebody else’s form signs nobody in as its author', async () => {
    const { passkey } = await member()
    const visitor = stranger()
    const answer = assertionAnswer(passkey, await visitor.askToSignIn())
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await visitor.copy().post('/console/signin/passkey', { answer }, headers)
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
      expect((await stranger().post('/console/signin/passkey/options', {}, headers)).status).toBe(403)
    }
    expect((await visitor.post('/console/signin/passkey', { answer })).status).toBe(303)
  })
})

describe('a new passkey', () => {
  test.each(
    Object.entries({
      ...faults,
      'of a weak algorithm': { coseKey: newPasskey(Buffer.alloc(16), 'RS1').coseKey },
    } satisfies Record<string, Faults>),
  )('%s is not added', async (_, fault) => {
    const visitor = await newcomer()
    const asked = await visitor.askToAdd()
    const passkey = newPasskey(asked!.handle)
    expect((await visitor.add(registrationAnswer(passkey, asked!.ask, fault))).status).toBe(403)
    expect((await stranger().signIn(passkey)).status).toBe(401)
    const honest = await visitor.enrol()
    expect((await stranger().signIn(honest)).status).toBe(303)
  })

  test('is added by a page of ours: no form of somebody else’s, and none without the token of the session', async () => {
    const visitor = await newcomer()
    const asked = await visitor.askToAdd()
    const answer = registrationAnswer(newPasskey(asked!.handle), asked!.ask)
    const csrf_token = await visitor.csrfToken()
    const paths = [
      '/console/passkeys/options',
      '/console/passkeys',
      '/console/passkeys/confirm',
      '/console/recovery-codes',
    ]
    for (const path of paths)
      for (const [fields, headers] of [
        [{ csrf_token, answer }, { origin: 'https://evil.example' }],
        [{ csrf_token, answer }, { 'sec-fetch-site': 'cross-site' }],
        [{ answer }, {}],
        [{ csrf_token: 'wrong', answer }, {}],
      ] as [Record<string, string>, Record<string, string>][])
        expect((await visitor.copy().post(path, fields, headers)).status, path).toBe(403)
    expect((await visitor.add(answer)).status).toBe(303)
  })

  test('gives the session a new id, and ends the one before', async () => {
    const visitor = await newcomer()
    const before = visitor.copy()
    await visitor.enrol()
    expect(visitor.cookie).not.toBe(before.cookie)
    expect([await isIn(visitor), await isIn(before)]).toEqual([true, false])
    expect((await visitor.me()).json['session']).toMatchObject({ way: 'passkey' })
  })

  test('is added to the session that asked for it, and once', async () => {
    const first = await newcomer()
    const asked = await first.askToAdd()
    const answer = registrationAnswer(newPasskey(asked!.handle), asked!.ask)
    const challenge = [...first.cookies.keys()].find((name) => name.endsWith('-passkey')) ?? ''
    const other = await newcomer()
    other.cookies.set(challenge, first.cookies.get(challenge) ?? '')
    expect((await other.add(answer)).status, 'the challenge of another session').toBe(403)
    expect((await first.add(answer)).status).toBe(303)
  })

  test('is that of one person only; it would be anybody’s if ids were not unique', async () => {
    const { passkey: theirs } = await member()
    const mallory = await newcomer()
    const asked = await mallory.askToAdd()
    const stolen = { ...newPasskey(asked!.handle), id: theirs.id }
    const answer = registrationAnswer(stolen, asked!.ask)
    const refused = await mallory.copy().add(answer)
    expect(refused.status).toBe(409)
    expect((await stranger().signIn(theirs)).status).toBe(303)
    await owner('drop index passkeys_credential')
    const again = await mallory.askToAdd()
    const planted = await mallory.add(registrationAnswer({ ...stolen, handle: again!.handle }, again!.ask))
    expect(planted.status, 'the planted weakness lets it in').toBe(303)
    await owner(
      `delete from passkeys where credential_id = decode('${Buffer.from(theirs.id, 'base64url').toString('hex')}', 'hex')`,
    )
    await owner('create unique index passkeys_credential on passkeys (credential_id)')
  })
})

describe('a session that somebody else holds', () => {
  test('adds no passkey, makes no codes and removes nothing after ten minutes, until a passkey confirms it', async () => {
    const { visitor, passkey } = await member()
    const asked = await visitor.askToAdd()
    const thief = visitor.copy()
    const answer = registrationAnswer(newPasskey(asked!.handle), asked!.ask)
    const [{ id }] = (await visitor.api('GET', '/v1/me/passkeys')).json['data'] as [{ id: string }]
    later(4)
    expect(await thief.copy().askToAdd(), 'four minutes are no reason').toBeDefined()
    later(11)
    const csrf_token = await thief.csrfToken()
    expect(await thief.askToAdd()).toBeUndefined()
    expect((await thief.add(answer)).status).toBe(403)
    expect(await thief.recoveryCodes()).toEqual([])
    expect((await thief.post(`/console/passkeys/${id}/remove`, { csrf_token })).status).toBe(403)
    expect((await thief.api('DELETE', `/v1/me/passkeys/${id}`)).status).toBe(403)
    expect((await thief.api('POST', `/v1/me/passkeys/${id}/rename`, { name: 'Mine' })).status).toBe(403)
    expect((await thief.get('/console/profile')).text).toContain('Confirm with a passkey')

    // The passkey of the thief confirms nothing about the victim.
    vi.restoreAllMocks()
    const mallory = await member()
    later(11)
    const theirs = assertionAnswer(mallory.passkey, await thief.askToSignIn())
    expect((await thief.post('/console/passkeys/confirm', { csrf_token, answer: theirs })).status).toBe(403)
    vi.restoreAllMocks()
    const own = assertionAnswer(passkey, await visitor.askToSignIn())
    expect((await visitor.post('/console/passkeys/confirm', { csrf_token, answer: own })).status).toBe(303)
    expect([await isIn(visitor), await isIn(thief)], 'what was stolen has ended').toEqual([true, false])
    expect(await visitor.askToAdd()).toBeDefined()
  })

  test('that an identity provider opened adds no passkey', async () => {
    const email = newEmail()
    const { link, memberId } = await invite(server.url, acme, email)
    const visitor = stranger()
    await visitor.openLink(link)
    await owner(`update sessions set way = 'oidc', connection_id = gen_random_uuid()
      where created_at = (select max(created_at) from sessions)`)
    expect((await visitor.me()).json).toMatchObject({ id: memberId, session: { way: 'oidc' } })
    expect(await visitor.askToAdd()).toBeUndefined()
    expect(await visitor.recoveryCodes()).toEqual([])
    expect((await visitor.get('/console/profile')).text).toContain('identity provider')
  })

  test('of a key is no person', async () => {
    const visitor = stranger()
    expect((await visitor.post('/console/signin', { key: acme.key })).status).toBe(303)
    expect(await visitor.askToAdd()).toBeUndefined()
    expect(await visitor.recoveryCodes()).toEqual([])
    const { status, json } = await visitor.api('GET', '/v1/me/passkeys')
    expect([status, json.error?.code]).toEqual([403, 'forbidden'])
  })
})
