import { beforeAll, describe, expect, test } from 'vitest'
import { insertLink } from '../../src/slack/link-queries.ts'
import { newUuid, requireId } from '../../src/values/id.ts'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { type ConsoleRoute, type Crawl, consoleRoutes, crawl, recordCalls } from '../support/console-crawl.ts'
import { type ConsoleOrganization, fillOrganization } from '../support/console-organization.ts'
import { useServer } from '../support/harness.ts'
import { metricOf } from '../support/money.ts'
import { signIn } from '../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** What is true of every page and action of the console, over the list of its routes. */
const server = useServer({
  environment: {
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.0/8',
    SVC_SMTP_URL: 'smtp://127.0.0.1:1',
    SVC_MAIL_FROM: 'weir@example.com',
  },
})
let operator: string
let organization: ConsoleOrganization
let routes: ConsoleRoute[]
let owner: ConsoleVisitor
let seen: Crawl
let calls: ReturnType<typeof recordCalls>
let deprecatedCalls: number
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  const tenant = await tenantOf(server, operator)
  organization = await fillOrganization(server.url, { operator, tenant, nowMs: Date.now() }, (plain) => plain)
  routes = await consoleRoutes(server)
  deprecatedCalls = await countDeprecated()
  calls = recordCalls(server)
  const signedIn = await visitAsMember(server.url, tenant, 'owner', 'owner@northwind.example')
  owner = signedIn
  await addStrangers(tenant, signedIn.memberId, 'owner@northwind.example')
  // Somebody else who is signed in, and who can be signed out.
  await signIn(server.url, tenant.key)
  const price = { model: 'installation-only', input_usd_per_million: '1', output_usd_per_million: '2' }
  await call(server.url, 'POST', '/v1/admin/prices', { key: operator, body: price })
  const suspended = await tenantOf(server, operator, 'Suspended <b>')
  await call(server.url, 'PUT', `/v1/orgs/${suspended.id}/ip-allow-list`, {
    key: suspended.key,
    body: { ip_allow_list: ['127.0.0.0/8', '::1'] },
  })
  await call(server.url, 'POST', `/v1/admin/orgs/${suspended.id}/suspend`, {
    key: operator,
    body: { reason: 'Unpaid' },
  })
  const ofOwner = await crawl(owner, routes, [
    `/console/keys/${organization.ids['frozen-key']}`,
    '/console/customers/contoso',
    '/console/search?q=budget',
    `/console/keys/revoke?key_id=${organization.ids['frozen-key']}`,
  ])
  const ofOperator = await crawl(await visitWithKey(server.url, operator), routes, [`/console/orgs/${suspended.id}`])
  // People have no scope for runs, so that some settings are for keys.
  const ofKey = await crawl(
    await visitWithKey(server.url, tenant.key),
    routes,
    ['/console/settings', '/console/settings/calls'],
    /^\/console\/settings/,
  )
  const freeze = (path: string, body?: unknown) =>
    call(server.url, 'POST', `/v1/orgs/${tenant.id}/${path}`, { key: tenant.key, ...(body !== undefined && { body }) })
  await freeze('freeze', { reason: 'Looks wrong' })
  const ofFrozen = await crawl(owner, routes, ['/console/limits'], /^\/console\/limits$/)
  await freeze('thaw')
  const crawls = [ofFrozen, ofKey, ofOperator, ofOwner]
  seen = {
    pages: new Map(crawls.flatMap(({ pages }) => [...pages])),
    actions: new Map(crawls.flatMap(({ actions }) => [...actions])),
    broken: crawls.flatMap(({ broken }) => broken),
  }
}, 300_000)

/** Adds what only comes from outside: a recipient who has not confirmed an address, and a Slack user who has linked themselves. */
async function addStrangers({ id, key }: Tenant, memberId: string, email: string) {
  const destination = { kind: 'email', recipients: [email] }
  const body = { destination, events: ['approval.*'] }
  const { status, text } = await call(server.url, 'POST', `/v1/orgs/${id}/webhooks`, { key, body })
  expect(status, text).toBe(201)
  const orgId = requireId('org', id)
  const user = { slack_team_id: 'T1', slack_user_id: 'U1', slack_user_name: 'Ada' }
  await server.platform.sql.asOrgs([orgId], (tx) =>
    insertLink(tx, orgId, { id: newUuid(), member_id: requireId('member', memberId), ...user }),
  )
}

const countDeprecated = () => metricOf(server.url, 'svc_deprecated_route_calls_total')

/** Actions that take a file, which may be longer than a form. */
const filePages = new Set([
  '/console/prices/import',
  '/console/installation-prices/import',
  '/console/reconciliations/new',
])

const absentId = 'zzzzzzzzzzzzzzzzzzzzzzzzzz'
const pathOf = ({ template }: ConsoleRoute) => template.replaceAll(/:\w+/g, `bud_0${absentId.slice(1)}`)
const isAsset = ({ template }: ConsoleRoute) => /\.(css|js)$/.test(template)
const guarded = () => routes.filter((route) => !isAsset(route))
const send = ({ method, template }: ConsoleRoute, headers: Record<string, string>, body = 'name=x') =>
  fetch(server.url + pathOf({ method, template }), {
    method,
    redirect: 'manual',
    headers: { ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
    ...(method === 'POST' && { body }),
  })
const nameOf = ({ method, template }: ConsoleRoute) => `${method} ${template}`
/** Returns what each route answers that differs from what all must. */
async function exceptions(
  list: readonly ConsoleRoute[],
  fault: (route: ConsoleRoute) => Promise<string | number | undefined>,
) {
  const found: string[] = []
  for (const route of list) {
    const what = await fault(route)
    if (what !== undefined) found.push(`${nameOf(route)}: ${what}`)
  }
  return found
}
const unless = (isRight: boolean, what: string | number) => (isRight ? undefined : what)

describe('every page and action', () => {
  test('is known: the list is not empty, and has those of budgets', () => {
    expect(guarded().map(nameOf)).toEqual(
      expect.arrayContaining(['GET /console', 'GET /console/budgets/:budget_id', 'POST /console/budgets']),
    )
  })

  test('sends somebody without a cookie to the sign-in, and does nothing', async () => {
    const { result, calls: made } = await calls.during(() =>
      exceptions(guarded(), async (route) => {
        const answer = await send(route, { 'sec-fetch-site': 'same-origin' })
        return unless(
          answer.status === 303 && answer.headers.get('location')!.startsWith('/console/signin'),
          answer.status,
        )
      }),
    )
    expect(result).toEqual([])
    expect(made).toEqual([])
  })

  test('shows nothing to a cookie that was never issued, and clears it', async () => {
    const forged = owner.session.cookie.replace(/.{10}$/, 'AAAAAAAAAA')
    expect(
      await exceptions(guarded(), async (route) => {
        const answer = await send(route, { cookie: forged, 'sec-fetch-site': 'same-origin' })
        const isCleared = /Max-Age=0/i.test(answer.headers.get('set-cookie') ?? '')
        return unless(answer.status === 401 && isCleared, `${answer.status} ${isCleared}`)
      }),
    ).toEqual([])
  })

  test('shows a session that has ended a page with the way back', async () => {
    const { cookie, id } = await signIn(server.url, organization.tenant.key)
    await call(server.url, 'POST', `/v1/me/sessions/${id}/revoke`, { key: organization.tenant.key })
    expect(
      await exceptions(guarded(), async (route) => {
        const answer = await send(route, { cookie, 'sec-fetch-site': 'same-origin' })
        const text = await answer.text()
        const back = /href="(\/console\/signin[^"]*)"/.exec(text)?.[1]
        if (answer.status !== 401 || back === undefined) return `${answer.status} ${text.slice(0, 100)}`
        return unless(
          route.method !== 'GET' || back.includes(encodeURIComponent(pathOf(route))),
          `leads back to ${back}`,
        )
      }),
    ).toEqual([])
  })

  test('of an organization that is suspended says so', async () => {
    const other = await tenantOf(server, operator, 'Suspended')
    const { cookie, csrfToken } = await signIn(server.url, other.key)
    await call(server.url, 'POST', `/v1/admin/orgs/${other.id}/suspend`, { key: operator, body: { reason: 'Unpaid.' } })
    const { result, calls: made } = await calls.during(() =>
      exceptions(guarded(), async (route) => {
        const answer = await send(route, { cookie, 'sec-fetch-site': 'same-origin' }, `csrf_token=${csrfToken}`)
        const text = await answer.text()
        return unless(answer.status === 403 && text.includes('suspended'), `${answer.status} ${text.slice(0, 100)}`)
      }),
    )
    expect(result).toEqual([])
    expect(made).toEqual([])
  })

  test('that changes something refuses a form without the token, of another session, or of another site', async () => {
    const other = await visitWithKey(server.url, organization.tenant.key)
    const { cookie, csrfToken } = owner.session
    const forgeries: [Record<string, string>, string][] = [
      [{ 'sec-fetch-site': 'same-origin' }, 'name=x'],
      [{ 'sec-fetch-site': 'same-origin' }, `csrf_token=${other.session.csrfToken}`],
      [{ 'sec-fetch-site': 'cross-site' }, `csrf_token=${csrfToken}`],
      [{ 'sec-fetch-site': 'same-site' }, `csrf_token=${csrfToken}`],
      [{ origin: 'https://evil.example' }, `csrf_token=${csrfToken}`],
      [{ origin: 'null' }, `csrf_token=${csrfToken}`],
      [{}, `csrf_token=${csrfToken}`],
    ]
    const posts = guarded().filter(({ method }) => method === 'POST')
    const { result, calls: made } = await calls.during(() =>
      exceptions(posts, async (route) => {
        const answers = await Promise.all(forgeries.map(([headers, body]) => send(route, { cookie, ...headers }, body)))
        return answers.map(({ status }) => status).find((status) => status !== 403)
      }),
    )
    expect(result).toEqual([])
    expect(made).toEqual([])
  })

  test('takes forms only: no JSON of a script, and no form that is too large', async () => {
    const { cookie, csrfToken } = owner.session
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const posts = guarded().filter(({ method }) => method === 'POST')
    expect(
      await exceptions(posts, async (route) => {
        const json = await send(
          route,
          { ...headers, 'content-type': 'application/json' },
          JSON.stringify({ csrf_token: csrfToken }),
        )
        const tooLong = filePages.has(route.template) ? 9_000_000 : 70_000
        const large = await send(route, headers, `csrf_token=${csrfToken}&name=${'x'.repeat(tooLong)}`)
        return unless([415, 422].includes(json.status) && large.status === 413, `${json.status} ${large.status}`)
      }),
    ).toEqual([])
  })
})

describe('every page that somebody comes to', () => {
  const shown = () => [...seen.pages].map(([template, { address, shown: page }]) => ({ template, address, page }))

  test('is linked from another one: all routes are reached, and no link leads nowhere', () => {
    expect(seen.broken).toEqual([])
    const missed = guarded()
      .filter(({ method, template }) => (method === 'GET' ? !seen.pages.has(template) : !seen.actions.has(template)))
      .map(nameOf)
    expect(missed.filter((name) => !reachedOtherwise.has(name))).toEqual([])
  })

  test('is shown to an owner', () => {
    expect(
      shown()
        .filter(({ page }) => page.status !== 200)
        .map(({ address, page }) => `${address} ${page.status} ${page.text.slice(0, 200)}`),
    ).toEqual([])
  })

  test('has the policy that lets nothing run but its own script, and no sign of a deprecated API', () => {
    const expected = [
      "default-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "require-trusted-types-for 'script'",
    ].sort()
    const pages = shown().filter(({ page }) => page.headers.get('content-type')?.startsWith('text/html'))
    for (const { address, page } of pages) {
      const { headers, html } = page
      const rules = (headers.get('content-security-policy') ?? '').split('; ')
      expect(rules.filter((rule) => !rule.startsWith('trusted-types ')).sort(), address).toEqual(expected)
      expect(
        rules.find((rule) => rule.startsWith('trusted-types ')),
        address,
      ).toMatch(/^trusted-types ('none'|weir-page)$/)
      expect([headers.get('deprecation'), headers.get('sunset')], address).toEqual([null, null])
      expect(headers.get('cache-control'), address).toContain('no-store')
      expect(html, address).not.toMatch(/<[^>]+\s(?:style|on\w+)=|<style|<script(?! type="module" src="\/console\/)/i)
      expect(html, address).not.toMatch(/(?:undefined|NaN|\[object )/)
    }
  })

  test('is made without a deprecated route of the API', async () => {
    expect(deprecatedCalls).toBeGreaterThan(0)
    expect(await countDeprecated()).toBe(deprecatedCalls)
  })

  test('makes few calls of the API', async () => {
    const many: string[] = []
    for (const { address } of shown()) {
      const { calls: made } = await calls.during(() => owner.openConsole(address))
      if (made.length > (address === '/console' ? maxCallsOfOverview : maxCalls))
        many.push(`${address}: ${made.length}`)
    }
    expect(many).toEqual([])
  })
})

/** Most calls of the API for one page, those of its frame included. */
const maxCalls = 8
/** The overview looks at everything, at the same time; it must not grow further. */
const maxCallsOfOverview = 15

/** Routes that no link of a healthy organization leads to. */
const reachedOtherwise = new Set([
  'GET /console/approvals/:approval_id/revoke',
  'POST /console/approvals/:approval_id/revoke',
  'GET /console/limits/keys/:key_id/freeze',
  'POST /console/limits/keys/:key_id/freeze',
  // For cohorts with enough members, and deliveries of a worker.
  'GET /console/benchmarks/:cohort_id',
  'POST /console/benchmarks/:cohort_id/join',
  'GET /console/benchmarks/:cohort_id/leave',
  'POST /console/benchmarks/:cohort_id/leave',
  'GET /console/webhooks/:sub_id/deliveries/:delivery_id',
  'POST /console/webhooks/:sub_id/deliveries/:delivery_id/redeliver',
  'GET /console/*',
  'POST /console/appearance',
  'GET /console/live',
])
