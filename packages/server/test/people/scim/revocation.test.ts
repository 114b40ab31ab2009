import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../support/harness.ts'
import { startInstallation } from '../../support/installation.ts'
import { rounds, whileAsleep, wrongRounds } from '../../support/rounds.ts'
import { askScim, directoryOf, type TestDirectory } from '../../support/scim/directory.ts'
import { disable } from '../../support/scim/entra.ts'
import { setActive } from '../../support/scim/okta.ts'
import { callIn, meWith, signInAsMember } from '../../support/sessions.ts'
import { call } from '../../support/tenants.ts'

const database = useDatabase()
let installation: Awaited<ReturnType<typeof startInstallation>>
let directory: TestDirectory
beforeAll(async () => {
  installation = await startInstallation(database, 4, {
    SVC_DEFAULT_READS_PER_MINUTE: '1000000',
    SVC_DEFAULT_CHANGES_PER_MINUTE: '1000000',
  })
  const { apis, orgId, owner } = installation
  directory = await directoryOf(apis[0]!.url, { id: orgId, key: owner })
})

interface Somebody {
  readonly memberId: string
  readonly cookie: string
  readonly keys: readonly string[]
}

let people = 0
/** A member with a session and two keys: one of their own, and one that this key has made. */
async function somebody(url: string): Promise<Somebody> {
  const { orgId, owner } = installation
  const email = `p${people++}@acme.example`
  const session = await signInAsMember(url, { orgId, key: owner }, { email, role: 'admin' })
  const minted = { name: 'own', role: 'admin', scopes: ['keys:read', 'keys:write', 'orgs:read'] }
  const own = await callIn(url, session, 'POST', `/v1/orgs/${orgId}/keys`, minted)
  const child = await call(url, 'POST', `/v1/orgs/${orgId}/keys`, {
    key: String(own.json['secret']),
    body: { name: 'child', role: 'viewer', scopes: ['orgs:read'] },
  })
  return {
    memberId: session.memberId,
    cookie: session.cookie,
    keys: [String(own.json['secret']), String(child.json['secret'])],
  }
}

/** What each credential of somebody gets from a process. */
const codesAt = async (url: string, { cookie, keys }: Somebody) => {
  const answers = [meWith(url, cookie), ...keys.map((key) => call(url, 'GET', '/v1/me', { key }))]
  return (await Promise.all(answers)).map(({ json }) => json.error?.code ?? 'ok').join()
}
const codes = async (who: Somebody) => Promise.all(installation.apis.map(({ url }) => codesAt(url, who)))
const everywhere = (code: string) => installation.apis.map(() => code)
const allIn = 'ok,ok,ok'
const allOut = 'session_revoked,gone,gone'

const endings: Record<string, (url: string, id: string) => Promise<number>> = {
  'Okta deactivates them': async (url, id) =>
    (await askScim(url, directory.token, 'PATCH', `/Users/${id}`, setActive(false))).status,
  'Entra disables them': async (url, id) =>
    (await askScim(url, directory.token, 'PATCH', `/Users/${id}`, disable)).status,
  'they are deleted': async (url, id) => (await askScim(url, directory.token, 'DELETE', `/Users/${id}`)).status - 4,
}

test(`whichever way a directory ends a user, all four processes refuse their session and keys at the next request, ${rounds} times, under load`, async () => {
  const { apis } = installation
  const wrong = await wrongRounds(installation, async (round) => {
    const who = await somebody(apis[round % 4]!.url)
    expect(await codes(who)).toEqual(everywhere(allIn))
    const [name, end] = Object.entries(endings)[round % 3]!
    const status = await end(apis[(round + 1) % 4]!.url, who.memberId)
    return { name, seen: [status, ...(await codes(who))], wanted: [200, ...everywhere(allOut)] }
  })
  expect(wrong).toEqual([])
})

test('a process that slept through it refuses session and keys when it wakes', async () => {
  const { apis } = installation
  const sleeper = apis[3]!
  for (const end of Object.values(endings)) {
    const who = await somebody(apis[0]!.url)
    expect(await codes(who)).toEqual(everywhere(allIn))
    await whileAsleep(sleeper, async () => {
      expect(await end(apis[0]!.url, who.memberId)).toBe(200)
      expect(await codesAt(apis[1]!.url, who)).toBe(allOut)
    })
    expect(await codesAt(sleeper.url, who)).toBe(allOut)
  }
})

test('somebody who is active again has a way in, and nothing that ended with them', async () => {
  const { apis } = installation
  const who = await somebody(apis[0]!.url)
  await endings['Entra disables them']!(apis[0]!.url, who.memberId)
  const again = await askScim(apis[1]!.url, directory.token, 'PATCH', `/Users/${who.memberId}`, setActive(true))
  expect([again.status, again.json.active]).toEqual([200, true])
  expect(await codes(who)).toEqual(everywhere(allOut))
})

test('a role that groups lower binds the next request on every process', async () => {
  const { apis, orgId, owner } = installation
  const [first, second] = [apis[0]!.url, apis[1]!.url]
  await call(first, 'PUT', `/v1/orgs/${orgId}/directory-roles`, {
    key: owner,
    body: { rules: [{ group: 'Admins', role: 'admin' }] },
  })
  const who = await somebody(first)
  const ask = (method: string, path: string, body?: unknown) => askScim(second, directory.token, method, path, body)
  const { id } = (await ask('POST', '/Groups', { displayName: 'Admins', members: [{ value: who.memberId }] })).json
  const read = (await ask('GET', `/Users/${who.memberId}`)).json
  await ask('PUT', `/Users/${who.memberId}`, { ...read, externalId: 'x' })
  const rolesSeen = async () => Promise.all(apis.map(async ({ url }) => (await meWith(url, who.cookie)).json['role']))
  expect(await rolesSeen()).toEqual(everywhere('admin'))
  const Operations = [{ op: 'Remove', path: `members[value eq "${who.memberId}"]` }]
  expect((await ask('PATCH', `/Groups/${id}`, { Operations })).status).toBe(204)
  expect(await rolesSeen()).toEqual(everywhere('viewer'))
})
