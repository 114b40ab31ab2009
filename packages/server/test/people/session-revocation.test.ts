import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../support/harness.ts'
import { mintOver, startInstallation } from '../support/installation.ts'
import { rounds, whileAsleep, wrongRounds } from '../support/rounds.ts'
import { callIn, meWith, signIn, signInAsMember, type TestSession } from '../support/sessions.ts'
import { call } from '../support/tenants.ts'

const database = useDatabase()
let installation: Awaited<ReturnType<typeof startInstallation>>
beforeAll(async () => {
  installation = await startInstallation(database, 4, {
    SVC_DEFAULT_READS_PER_MINUTE: '1000000',
    SVC_DEFAULT_CHANGES_PER_MINUTE: '1000000',
  })
})

const use = (url: string, { cookie }: TestSession) => meWith(url, cookie)
const codes = async (session: TestSession) =>
  Promise.all(installation.apis.map(async ({ url }) => (await use(url, session)).json.error?.code ?? 'ok'))
const everywhere = (code: string) => installation.apis.map(() => code)

/** The ways in which a session ends, each answered once it has ended everywhere. */
const endings: Record<string, (url: string, session: TestSession, keyId: string) => Promise<{ status: number }>> = {
  'its owner ends it': (url, session) => callIn(url, session, 'POST', `/v1/me/sessions/${session.id}/revoke`),
  'an administrator ends it': (url, { id }) =>
    call(url, 'POST', `/v1/orgs/${installation.orgId}/sessions/${id}/revoke`, { key: installation.owner }),
  'its key is revoked': (url, _session, keyId) =>
    call(url, 'POST', `/v1/orgs/${installation.orgId}/keys/${keyId}/revoke`, { key: installation.owner }),
}

test(`whichever way a session ends, all four processes refuse its next request, ${rounds} times out of ${rounds}, under load`, async () => {
  const { apis, orgId, owner } = installation
  const wrong = await wrongRounds(installation, async (round) => {
    const { id, secret } = await mintOver(apis[0]!.url, orgId, owner)
    const session = await signIn(apis[round % 4]!.url, secret)
    expect(await codes(session)).toEqual(everywhere('ok'))
    const [name, end] = Object.entries(endings)[round % 3]!
    const { status } = await end(apis[(round + 1) % 4]!.url, session, id)
    return { name, seen: [status, ...(await codes(session))], wanted: [200, ...everywhere('session_revoked')] }
  })
  expect(wrong).toEqual([])
})

test('a process that slept through it refuses the session when it wakes', async () => {
  const { apis, orgId, owner } = installation
  const sleeper = apis[3]!
  for (const end of Object.values(endings)) {
    const { id, secret } = await mintOver(apis[0]!.url, orgId, owner)
    const session = await signIn(apis[0]!.url, secret)
    expect(await codes(session)).toEqual(everywhere('ok'))
    await whileAsleep(sleeper, async () => expect((await end(apis[0]!.url, session, id)).status).toBe(200))
    expect((await use(sleeper.url, session)).json.error?.code).toBe('session_revoked')
  }
})

let people = 0
const join = (url: string) =>
  signInAsMember(
    url,
    { orgId: installation.orgId, key: installation.owner },
    { email: `person${people++}@acme.example`, role: 'admin' },
  )
/** A key that a member mints in their session. */
const mintIn = async (url: string, session: TestSession) => {
  const { json } = await callIn(url, session, 'POST', `/v1/orgs/${installation.orgId}/keys`, {
    name: 'ruler',
    role: 'admin',
    scopes: ['keys:read'],
  })
  return String(json['secret'])
}
/** What all processes answer to a member's session and to their key, on a route of administrators. */
const outcomes = async (session: TestSession, key: string) =>
  Promise.all(
    installation.apis.flatMap(({ url }) =>
      [{ headers: { cookie: session.cookie } }, { key }].map(async (as) => {
        const { status, json } = await call(url, 'GET', `/v1/orgs/${installation.orgId}/keys?limit=1`, as)
        return json.error?.code ?? status
      }),
    ),
  )
const twice = (ofSession: unknown, ofKey: unknown) => installation.apis.flatMap(() => [ofSession, ofKey])

/** The ways in which a member loses power, each with what their session and their key are told then. */
const losses: Record<string, { end: (url: string, memberId: string) => Promise<{ status: number }>; told: string[] }> =
  {
    'the member is removed': {
      end: (url, memberId) =>
        call(url, 'DELETE', `/v1/orgs/${installation.orgId}/members/${memberId}`, { key: installation.owner }),
      told: ['session_revoked', 'gone'],
    },
    'the role is lowered': {
      end: (url, memberId) =>
        call(url, 'PATCH', `/v1/orgs/${installation.orgId}/members/${memberId}`, {
          key: installation.owner,
          body: { role: 'viewer' },
        }),
      told: ['forbidden', 'gone'],
    },
  }

test(`whichever way a member loses power, all four processes refuse their session and their key, ${rounds} times out of ${rounds}`, async () => {
  const { apis } = installation
  const wrong = await wrongRounds(installation, async (round) => {
    const session = await join(apis[round % 4]!.url)
    const key = await mintIn(apis[(round + 2) % 4]!.url, session)
    expect(await outcomes(session, key)).toEqual(twice(200, 200))
    const [name, { end, told }] = Object.entries(losses)[Math.floor(round / 4) % 2]!
    const { status } = await end(apis[(round + 1) % 4]!.url, session.memberId)
    const seen = [status < 300, ...(await outcomes(session, key))]
    return { name, seen, wanted: [true, ...twice(told[0], told[1])] }
  })
  expect(wrong).toEqual([])
})

test('a process that slept through a removal refuses the member’s session and key when it wakes', async () => {
  const { apis } = installation
  const sleeper = apis[3]!
  for (const { end, told } of Object.values(losses)) {
    const session = await join(apis[0]!.url)
    const key = await mintIn(apis[0]!.url, session)
    expect(await outcomes(session, key)).toEqual(twice(200, 200))
    await whileAsleep(sleeper, async () => expect((await end(apis[0]!.url, session.memberId)).status).toBeLessThan(300))
    expect((await outcomes(session, key)).slice(-2)).toEqual(told)
  }
})

test('a suspended organization is refused everywhere at once', async () => {
  const { apis, orgId, operator, owner } = installation
  const session = await signIn(apis[0]!.url, owner)
  expect(await codes(session)).toEqual(everywhere('ok'))
  await call(apis[1]!.url, 'POST', `/v1/admin/orgs/${orgId}/suspend`, { key: operator })
  expect(await codes(session)).toEqual(everywhere('org_suspended'))
  await call(apis[1]!.url, 'POST', `/v1/admin/orgs/${orgId}/resume`, { key: operator })
  expect(await codes(session)).toEqual(everywhere('ok'))
})
