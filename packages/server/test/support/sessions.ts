import pg from 'pg'
import { type Answer, call } from './tenants.ts'

/** A browser's session as a test holds it: its cookie, and the token that its pages send with changes. */
export interface TestSession {
  readonly cookie: string
  readonly csrfToken: string
  readonly id: string
}

export const signInForm = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${url}/console/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

/** Signs in with a key, as the form does. */
export const signIn = (url: string, key: string): Promise<TestSession> => signInWith(url, { key })

/** Signs in with a link, as its page does; over any process of an installation. */
export const signInByLink = (url: string, link: string): Promise<TestSession> =>
  signInWith(url, { code: new URL(link).searchParams.get('code') ?? '' })

/** Invites somebody and signs in as them. */
export async function signInAsMember(
  url: string,
  { orgId, key }: { orgId: string; key: string },
  member: { email: string; role: string },
): Promise<TestSession & { readonly memberId: string }> {
  const { status, json, text } = await call(url, 'POST', `/v1/orgs/${orgId}/members`, { key, body: member })
  if (status !== 201) throw new Error(`invitation: ${status} ${text}`)
  const session = await signInByLink(url, (json['invitation'] as { url: string }).url)
  return { ...session, memberId: String(json['id']) }
}

async function signInWith(url: string, fields: Record<string, string>): Promise<TestSession> {
  const response = await signInForm(url, fields)
  if (response.status !== 303) throw new Error(`sign-in: ${response.status} ${await response.text()}`)
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  const { json } = await call(url, 'GET', '/v1/me', { headers: { cookie } })
  const { id, csrf_token } = json['session'] as { id: string; csrf_token: string }
  return { cookie, csrfToken: csrf_token, id }
}

/** Calls `/v1` as a page of a session does. */
export const callIn = (url: string, session: TestSession, method: string, path: string, body?: unknown) =>
  call(url, method, path, {
    ...(body !== undefined && { body }),
    headers: { cookie: session.cookie, 'sec-fetch-site': 'same-origin', 'x-csrf-token': session.csrfToken },
  })

/** Calls `/v1` with nothing but a cookie. */
export const meWith = (url: string, cookie: string) => call(url, 'GET', '/v1/me', { headers: { cookie } })

/** Opens a page without following where it leads. */
export const openPage = (url: string, path: string, cookie?: string) =>
  fetch(url + path, { redirect: 'manual', headers: cookie === undefined ? {} : { cookie } })

/** The `Set-Cookie` that ends a session in a browser, over plain HTTP. */
export const clearedCookie = /^weir=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/i

/** What an answer tells the owner of a session: status, code, and whether the cookie is cleared. */
export const summaryOf = ({ status, json, headers }: Answer) => [
  status,
  json.error?.code,
  clearedCookie.test(headers.get('set-cookie') ?? ''),
]
/** The summary of an answer in a session that has ended. */
export const endedSummary = [401, 'session_revoked', true]

/** Runs a statement as the owner of the database, who sees and does what the application must not. */
export async function asDatabaseOwner(ownerUrl: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
