import { randomBytes } from 'node:crypto'
import { beforeAll } from 'vitest'
import { useServer } from './harness.ts'
import { signIn, signInAsMember, type TestSession } from './sessions.ts'
import { type ShownForm, type ShownPage, shownPage } from './shown-page.ts'
import { type Answer, call, operatorOf, type Tenant, tenantOf } from './tenants.ts'

export type { ShownPage } from './shown-page.ts'

/** Values for a form: they replace those that it shows; undefined leaves a field out, as an unticked box does. */
export type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>

/** Somebody who is signed in to the console. */
export interface ConsoleVisitor {
  readonly session: TestSession
  /** Opens a page, without following where it leads. */
  readonly openConsole: (path: string) => Promise<ShownPage>
  /**
   * Opens a page and sends a form on it, with everything that the form shows and the given values in place of what it shows. `action` tells
   * which form, where a page has several. The answer is not followed: `location` says where it leads.
   */
  readonly postForm: (path: string, fields?: FormFields, action?: string | RegExp) => Promise<ShownPage>
  /** Sends a form that no page has shown, with a valid CSRF token: what somebody can do who writes requests by hand. */
  readonly postUnseen: (action: string, fields?: FormFields) => Promise<ShownPage>
}

/** Returns the visitor with a session. */
export function visitorOf(url: string, session: TestSession): ConsoleVisitor {
  const { cookie, csrfToken } = session
  const openConsole = async (path: string) =>
    shownPage(await fetch(url + path, { redirect: 'manual', headers: { cookie } }))
  const post = async (action: string, fields: FormFields) =>
    shownPage(
      await fetch(url + action, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          cookie,
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
          'sec-fetch-site': 'same-origin',
        },
        body: encoded(fields),
      }),
    )
  return {
    session,
    openConsole,
    postForm: async (path, fields = {}, action) => {
      const form = formOn(await openConsole(path), path, action)
      return post(form.action || path, { ...form.fields, ...fields })
    },
    postUnseen: (action, fields = {}) =>
      post(action, { csrf_token: csrfToken, idempotency_key: randomBytes(16).toString('hex'), ...fields }),
  }
}

function encoded(fields: FormFields): string {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of value === undefined ? [] : [value].flat()) body.append(name, one)
  return body.toString()
}

function formOn({ status, forms, text }: ShownPage, path: string, action: string | RegExp | undefined): ShownForm {
  const fitting = forms.filter(
    (form) =>
      form.method === 'post' &&
      (action === undefined || (typeof action === 'string' ? form.action === action : action.test(form.action))),
  )
  if (fitting.length === 1) return fitting[0]!
  const found = forms.map((form) => `${form.method} ${form.action}`).join(', ') || 'none'
  throw new Error(`${path} (${status}) has ${fitting.length} such forms of: ${found}. It says: ${text.slice(0, 400)}`)
}

/** A server with an organization, for a test file; what is returned is filled before the first test. */
export function useConsole({
  environment = {},
  name,
}: {
  readonly environment?: Readonly<Record<string, string>>
  readonly name?: string
} = {}) {
  const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000', ...environment } })
  const operator = { key: '' }
  const tenant = {} as Tenant
  /** The owner of the organization, signed in with its first key. */
  const owner = {} as ConsoleVisitor
  beforeAll(async () => {
    operator.key = (await operatorOf(server)).key
    Object.assign(tenant, await tenantOf(server, operator.key, name))
    Object.assign(owner, await visitWithKey(server.url, tenant.key))
  })
  return {
    server,
    operator,
    tenant,
    owner,
    /** Calls the API of the organization; as its owner, unless another key is given. */
    ask: (method: string, path: string, body?: unknown, key = tenant.key): Promise<Answer> =>
      call(server.url, method, `/v1/orgs/${tenant.id}${path}`, { key, ...(body !== undefined && { body }) }),
  }
}

/** Signs in with a key, or with the token of a support grant. */
export const visitWithKey = async (url: string, key: string): Promise<ConsoleVisitor> =>
  visitorOf(url, await signIn(url, key))

/** Invites somebody with a role, and signs in as them. `org` has an owner's key. */
export const visitAsMember = async (
  url: string,
  org: { readonly id: string; readonly key: string },
  role: 'owner' | 'admin' | 'member' | 'viewer',
  email = `${role}-${randomBytes(4).toString('hex')}@example.com`,
): Promise<ConsoleVisitor & { readonly memberId: string }> => {
  const session = await signInAsMember(url, { orgId: org.id, key: org.key }, { email, role })
  return { ...visitorOf(url, session), memberId: session.memberId }
}

/** Signs in as an operator with support access to an organization. */
export async function visitAsSupport(url: string, operator: string, orgId: string, scope: string) {
  const { status, json, text } = await call(url, 'POST', '/v1/admin/support-grants', {
    key: operator,
    body: { org_id: orgId, scope, reason: 'Ticket 4711', duration_seconds: 3_600 },
  })
  if (status !== 201) throw new Error(`support grant: ${status} ${text}`)
  return visitWithKey(url, String(json['token']))
}
