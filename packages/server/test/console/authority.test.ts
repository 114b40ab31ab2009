import { beforeAll, describe, expect, test } from 'vitest'
import { tenantScopes } from '../../src/access/identity/identity.ts'
import { type ConsoleVisitor, visitAsMember, visitAsSupport, visitWithKey } from '../support/console.ts'
import {
  type ConsoleRoute,
  type Crawl,
  consoleRoutes,
  crawl,
  type OfferedAction,
  type RecordedCall,
  recordCalls,
} from '../support/console-crawl.ts'
import { type ConsoleOrganization, fillOrganization } from '../support/console-organization.ts'
import { useServer } from '../support/harness.ts'
import { callIn } from '../support/sessions.ts'
import { keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

/**
 * The authority of everybody over every page and action. Nothing is listed by hand: pages and forms are those that an owner comes to by
 * following links, and what an action may do is asked of the API itself, by the calls that the action makes.
 */
const server = useServer({
  environment: {
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.0/8',
  },
})
let organization: ConsoleOrganization
let other: ConsoleOrganization
let routes: ConsoleRoute[]
let seen: Crawl
let calls: ReturnType<typeof recordCalls>
const visitors = new Map<string, ConsoleVisitor>()
beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  const [tenant, second] = [await tenantOf(server, operator), await tenantOf(server, operator)]
  const { url } = server
  organization = await fillOrganization(url, { operator, tenant, nowMs: Date.now() }, (plain) => plain)
  other = await fillOrganization(url, { operator, tenant: second, nowMs: Date.now() }, (plain) => plain)
  routes = await consoleRoutes(server)
  for (const role of ['viewer', 'member', 'admin'] as const) visitors.set(role, await visitAsMember(url, tenant, role))
  const service = await keyOf(server, tenant.id, { role: 'service', scopes: tenantScopes })
  visitors.set('service key', await visitWithKey(url, service.key))
  const narrow = await keyOf(server, tenant.id, { role: 'owner', scopes: ['limits:read', 'limits:write'] })
  visitors.set('key for limits', await visitWithKey(url, narrow.key))
  const pinned = await keyOf(server, tenant.id, {
    role: 'owner',
    scopes: tenantScopes,
    pins: { department_id: 'support' },
  })
  visitors.set('pinned key', await visitWithKey(url, pinned.key))
  for (const scope of ['read', 'billing', 'configuration'])
    visitors.set(`support to ${scope}`, await visitAsSupport(url, operator, tenant.id, scope))
  visitors.set('operator', await visitWithKey(url, operator))
  visitors.set('owner of another organization', await visitWithKey(url, second.key))
  visitors.set('owner', await visitAsMember(url, tenant, 'owner'))
  calls = recordCalls(server)
  seen = await crawl(visitors.get('owner')!, routes, [`/console/keys/revoke?key_id=${organization.ids['frozen-key']}`])
}, 300_000)

const idPattern = /\b([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
/** Replaces every id by one of the same kind that does not exist, so that whoever may do something does nothing. */
const ofNobody = (text: string) => text.replaceAll(idPattern, (_, prefix: string) => `${prefix}_${'0'.repeat(26)}`)

const fieldsOf = ({ form }: OfferedAction, changed = ofNobody) =>
  Object.fromEntries(
    Object.entries(form.fields)
      .filter(([name]) => name !== 'csrf_token' && name !== 'idempotency_key')
      .map(([name, value]) => [name, [value].flat().map(changed)]),
  )

/** Sends an action about something that does not exist, as somebody; returns what became of it and the calls that it made. */
const attempt = (visitor: ConsoleVisitor, offered: OfferedAction) =>
  calls.during(() => visitor.postUnseen(ofNobody(offered.form.action || offered.page), fieldsOf(offered)))

/** Calls of the frame, which every page makes around itself. */
const isOfFrame = ({ method, url }: RecordedCall) =>
  method === 'GET' && (/^\/v1\/orgs\/[^/]+$/.test(url) || url.endsWith('/approvals?status=pending&limit=100'))

/** Returns how a status reads: who may do something, and whether it was done. */
const kindOf = (status: number) =>
  status < 400
    ? 'done'
    : status === 403
      ? 'forbidden'
      : status === 404
        ? 'not found'
        : status < 500
          ? 'mendable'
          : 'failed'

const names = [
  'viewer',
  'member',
  'admin',
  'service key',
  'key for limits',
  'pinned key',
  'support to read',
  'support to billing',
  'support to configuration',
  'operator',
  'owner of another organization',
  'owner',
]

describe.each(names)('the %s', (name) => {
  test('can do in the console exactly what the same calls of the API do', async () => {
    const visitor = visitors.get(name)!
    const faults: string[] = []
    for (const offered of seen.actions.values()) {
      const { result, calls: made } = await attempt(visitor, offered)
      const own = made.filter((one) => !isOfFrame(one))
      if (own.length === 0) faults.push(`${offered.template}: asked the API nothing, and answered ${result.status}`)
      const before = own.map(({ status }) => kindOf(status))
      const again: string[] = []
      for (const { method, url, body, status } of own) {
        const sent = body === undefined ? undefined : JSON.parse(body)
        const kind = kindOf((await callIn(server.url, visitor.session, method, url, sent)).status)
        // What is gone cannot be deleted twice, and what is frozen not be frozen.
        const isDoneAlready = status < 400 && method !== 'GET' && (kind === 'not found' || kind === 'mendable')
        again.push(isDoneAlready ? 'done' : kind)
      }
      if (again.join() !== before.join())
        faults.push(`${offered.template}: its calls were ${before.join()}, the same by hand ${again.join()}`)
      // A page may leave out a part that it could not read; a change that was refused is always told.
      const changes = own.filter(({ method }) => method !== 'GET').map(({ status }) => kindOf(status))
      const isDone = changes.length > 0 && changes.every((kind) => kind === 'done')
      if (isDone ? result.status >= 400 : !before.includes(kindOf(result.status)) || result.status < 400)
        faults.push(`${offered.template}: answered ${result.status}, its calls ${before.join()}`)
    }
    expect(faults).toEqual([])
  })

  test('opens every page or is told why not', async () => {
    const visitor = visitors.get(name)!
    const faults: string[] = []
    for (const { address } of seen.pages.values()) {
      const { status, text } = await visitor.openConsole(address)
      if (![200, 403, 404].includes(status)) faults.push(`${address}: ${status} ${text.slice(0, 200)}`)
    }
    expect(faults).toEqual([])
  })

  test('comes by links to no action that the API would forbid', async () => {
    const visitor = visitors.get(name)!
    const own = await crawl(visitor, routes)
    const faults: string[] = []
    for (const offered of own.actions.values()) {
      const { result, calls: made } = await attempt(visitor, offered)
      const forbidden = made.find((one) => one.method !== 'GET' && one.status === 403)
      if (result.status === 403 || forbidden)
        faults.push(`${offered.page} offers ${offered.template}: ${forbidden?.method} ${forbidden?.url}`)
    }
    // Which pages are beyond the pins of a key is told by the API alone.
    for (const { address, shown } of own.pages.values())
      if (shown.status === 403 && name !== 'pinned key') faults.push(`a link leads to ${address}, which is forbidden`)
    expect(faults).toEqual([])
  })
})

test('pages and actions about what belongs to another organization say that there is nothing', async () => {
  const visitor = visitors.get('owner of another organization')!
  const faults: string[] = []
  for (const { address } of seen.pages.values()) {
    if (!idPattern.test(address)) continue
    idPattern.lastIndex = 0
    const [id = ''] = address.match(idPattern) ?? []
    const { result, calls: made } = await calls.during(() => visitor.openConsole(address))
    // A question that says nothing about its subject may be asked about anything.
    const isTold = made.some(({ url, status }) => url.includes(id) && status < 400)
    if (result.status !== 404 && (isTold || made.some(({ url }) => url.includes(id))))
      faults.push(`${address}: ${result.status}`)
  }
  for (const offered of seen.actions.values()) {
    const action = offered.form.action || offered.page
    if (!action.match(idPattern)) continue
    const { result, calls: made } = await calls.during(() =>
      visitor.postUnseen(
        action,
        fieldsOf(offered, (text) => text),
      ),
    )
    const isRefused = result.status === 404 || result.status === 422
    if (!isRefused || made.some((one) => one.method !== 'GET' && one.status < 400))
      faults.push(`POST ${action}: ${result.status}`)
  }
  expect(other.tenant.id).not.toBe(organization.tenant.id)
  expect(faults).toEqual([])
})
