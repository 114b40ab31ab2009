import { hash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertLink } from '../../src/slack/link-queries.ts'
import { formatId, type IdKind, newUuid, operatorsOrgId, prefixes, requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/programs.ts'
import { runOf } from '../support/recorded-runs.ts'
import { signIn } from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/**
 * Every route of the contract against every kind of caller, from the route list itself: a route added tomorrow is in this
 * table without anybody's help.
 */
// Every route is tried with keys that nobody issued: more of them than the back-off forgives in a minute.
const server = useServer({
  environment: {
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
    SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24',
    SVC_SSO_ALLOWED_CIDRS: '203.0.113.0/24',
  },
})
let operator: string
let alice: Tenant
let bob: Tenant
const keys: Record<string, string> = {}

const hour = 3_600_000

async function succeed(method: string, path: string, key: string, body?: unknown) {
  const { status, text } = await call(server.url, method, path, { key, ...(body !== undefined && { body }) })
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
}

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  alice = await tenantOf(server, operator, 'Alice')
  bob = await tenantOf(server, operator, 'Bob')
  const suspended = await tenantOf(server, operator, 'Suspended')
  const walled = await tenantOf(server, operator, 'Walled')
  const now = Date.now()
  keys['expired'] = (await keyOf(server, alice.id, { expiresAt: new Date(now - hour) })).key
  keys['notYet'] = (await keyOf(server, alice.id, { notBefore: new Date(now + hour) })).key
  keys['viewer'] = (await keyOf(server, alice.id, { role: 'viewer' })).key
  keys['scopeless'] = (await keyOf(server, alice.id, { scopes: ['webhooks:read'] })).key
  keys['otherwise scopeless'] = (await keyOf(server, alice.id, { scopes: ['usage:write'] })).key
  const revoked = await keyOf(server, alice.id)
  keys['revoked'] = revoked.key
  await succeed('POST', `/v1/orgs/${alice.id}/keys/${revoked.id}/revoke`, alice.key)
  const both = await keyOf(server, alice.id, { expiresAt: new Date(now - hour) })
  keys['revokedAndExpired'] = both.key
  await call(server.url, 'POST', `/v1/orgs/${alice.id}/keys/${both.id}/revoke`, { key: alice.key })
  keys['suspended'] = suspended.key
  await succeed('POST', `/v1/admin/orgs/${suspended.id}/suspend`, operator)
  keys['walled'] = walled.key
  await succeed('PUT', `/v1/orgs/${walled.id}/ip-allow-list`, walled.key, {
    ip_allow_list: ['203.0.113.0/24'],
    force: true,
  })
  keys['forged'] = `${alice.key.slice(0, -1)}${alice.key.endsWith('0') ? '1' : '0'}`
  // A well-formed key with the right checksum that nobody issued.
  keys['unknown'] = (await import('../../src/access/identity/identity.ts')).mintKey('c1').text
})

const idKindOf: Record<string, IdKind> = {
  id: 'org',
  org_id: 'org',
  key_id: 'key',
  grant_id: 'grant',
  session_id: 'session',
  member_id: 'member',
  scim_token_id: 'scimToken',
  slack_link_id: 'slackLink',
  connection_id: 'connection',
  domain_id: 'domain',
  passkey_id: 'passkey',
  budget_id: 'budget',
  concurrency_limit_id: 'concurrencyLimit',
  limit_id: 'budget',
  price_id: 'price',
  pack_id: 'creditPack',
  top_up_id: 'topUp',
  replay_id: 'replay',
  reservation_id: 'reservation',
  decision_id: 'decision',
  run_id: 'run',
  chain_id: 'chain',
  sub_id: 'subscription',
  delivery_id: 'delivery',
  rule_id: 'rule',
  approval_id: 'approval',
  proposal_id: 'proposal',
  model_id: 'model',
  eval_id: 'evalResult',
  route_id: 'modelRoute',
  cohort_id: 'cohort',
  refusal_id: 'refusal',
  event_id: 'event',
}
/** Ids of the tenants' own making: every one of them exists, in the caller's organization. */
const ownNames: Record<string, string> = {
  customer_id: 'customer-1',
  scope_kind: 'workflow',
  dimension: 'department_id',
  adjustment_id: '4711.0',
}

/** A concrete path of a route, in an organization, with ids that exist nowhere. */
const pathOf = (template: string, orgId: string, ids: Record<string, string> = {}) =>
  template.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    name === 'id' || name === 'org_id' ? orgId : (ids[name] ?? ownNames[name] ?? formatId(idKindOf[name]!, newUuid())),
  )

const closedRoutes = () => server.routes.filter(({ declaration }) => !declaration.open)
const rule = { name: 'r', effect: 'require_approval', target: 'model', priority: 1, expression: 'true', reason: 'Ask.' }
const replacements: Record<string, object> = {
  '/keys/': { name: 'B' },
  '/budgets/': { name: 'B', limit_usd: '9', period: 'day' },
  '/concurrency-limits/': { name: 'B', max_runs: 9 },
  '/webhooks/': { url: 'https://203.0.113.7/' },
  '/cohorts/': { name: 'B', status: 'open' },
  '/prices/': { model: 'm', input_usd_per_million: '1', output_usd_per_million: '1' },
  '/policies/': rule,
  '/dimensions/': { values: ['a'], on_unknown: 'allow' },
  '/budget-defaults/': { limit_usd: '1', period: 'day' },
  '/concurrency-defaults/': { max_runs: 1 },
  '/members/': { role: 'viewer' },
  '/models/': { model: 'm' },
  '/sso-connections/': { name: 'B', oidc: { issuer: 'https://203.0.113.7', client_id: 'c' } },
  '/domains/': { description: 'B' },
  '/routes/': { name: 'r', strategy: 'cheapest', bar: null },
}
/** A route that requires a body is asked with one, or it would be refused for that. */
const bodyOf = (method: string, path: string) => {
  if (path.endsWith('/rename')) return { body: { name: 'B' } }
  if (path.endsWith('/proposals') && path.includes('/budgets/')) return { body: { limit_usd: '900', reason: 'r' } }
  if (path.endsWith('/freeze')) return { body: { reason: 'r' } }
  if (path.endsWith('/trust') && /PUT|PATCH/.test(method)) return { body: { release: 'allow' } }
  if (path.endsWith('/finish')) return { body: { status: 'succeeded' } }
  if (path.endsWith('/replay')) return { body: { from: '2026-11-01' } }
  const replaced = method === 'PUT' ? Object.entries(replacements).find(([part]) => path.includes(part)) : undefined
  if (replaced) return { body: replaced[1] }
  if (method !== 'PATCH') return {}
  if (path.includes('/dimensions/')) return { body: { on_unknown: 'allow' } }
  if (/\/(policies|models)\//.test(path)) return { body: { enabled: false } }
  if (path.includes('/prices/')) return { body: { max_output_tokens: 9 } }
  return { body: /\/(webhooks|domains)\//.test(path) ? { description: 'B' } : { name: 'B' } }
}
const ask = (method: string, path: string, key?: string) =>
  call(server.url, method, path, { ...bodyOf(method, path), ...(key !== undefined && { key }) })
const codeOf = async (method: string, path: string, key?: string) => {
  const { status, json } = await ask(method, path, key)
  return `${status} ${json.error?.code}`
}

describe('on every closed route', () => {
  const callers: [string, () => string | undefined, string][] = [
    ['no key', () => undefined, '401 unauthorized'],
    ['garbage', () => 'garbage', '401 unauthorized'],
    ['a key with a forged checksum', () => keys['forged'], '401 unauthorized'],
    ['a key that nobody issued', () => keys['unknown'], '401 unauthorized'],
    ['an expired key', () => keys['expired'], '401 key_expired'],
    ['a key that is not valid yet', () => keys['notYet'], '401 key_expired'],
    ['a revoked key', () => keys['revoked'], '410 gone'],
    ['a key both revoked and expired', () => keys['revokedAndExpired'], '410 gone'],
    ['a key of a suspended organization', () => keys['suspended'], '403 org_suspended'],
    ['a key from a wrong address', () => keys['walled'], '403 ip_not_allowed'],
  ]
  test.each(callers)('%s', async (_name, key, expected) => {
    for (const { method, template } of closedRoutes()) {
      expect(await codeOf(method, pathOf(template, alice.id), key()), `${method} ${template}`).toBe(expected)
    }
  })
})

describe('across tenants', () => {
  test('another tenant’s organization, a missing one and a malformed one answer the same bytes', async () => {
    for (const { method, template } of closedRoutes().filter((route) => /\{(id|org_id)\}/.test(route.template))) {
      const answers = await Promise.all(
        [bob.id, formatId('org', newUuid()), 'org_nonsense', bob.id.toUpperCase(), '..%2f'].map((org) =>
          ask(method, pathOf(template, org), alice.key),
        ),
      )
      for (const { status, text } of answers) {
        expect(status, `${method} ${template}`).toBe(404)
        expect(text, `${method} ${template}`).toBe(answers[0]!.text)
      }
    }
  })

  test('another tenant’s resource, a missing one and a malformed one answer the same bytes', async () => {
    const made = async (path: string, body: unknown) =>
      (await call(server.url, 'POST', path, { key: bob.key, body })).json
    const budget = await made(`/v1/orgs/${bob.id}/budgets`, {
      name: 'B',
      scope_kind: 'org',
      limit_usd: '9',
      period: 'day',
    })
    const more = { limit_usd: '10', reason: 'More.' }
    const proposal = await made(`/v1/orgs/${bob.id}/budgets/${String(budget['id'])}/proposals`, more)
    const concurrency = await made(`/v1/orgs/${bob.id}/concurrency-limits`, {
      name: 'B',
      scope_kind: 'org',
      max_runs: 99,
    })
    const pack = await made(`/v1/orgs/${bob.id}/customers/c/credit-packs`, { amount_usd: '5' })
    const price = await made(`/v1/orgs/${bob.id}/prices`, {
      model: 'priced',
      input_usd_per_million: '1',
      output_usd_per_million: '1',
    })
    const decision = await made('/v1/edge/decision', { model: 'gpt-4o', estimated_cost_usd: '1' })
    const run = await runOf(server, bob.id)
    const ruled = await made(`/v1/orgs/${bob.id}/policies`, rule)
    const refused = await made('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1' })
    const model = await made(`/v1/orgs/${bob.id}/models`, { model: 'm' })
    const route = await made(`/v1/orgs/${bob.id}/routes`, { name: 'r', strategy: 'cheapest', bar: null })
    const evals = await made(`/v1/orgs/${bob.id}/evals`, {
      results: [{ suite: 's', model: 'm', score: 1, samples: 1 }],
    })
    const subscription = await made(`/v1/orgs/${bob.id}/webhooks`, { url: 'https://203.0.113.7/' })
    const firstOf = async (list: string) => {
      const entries = async () =>
        (await call(server.url, 'GET', `/v1/orgs/${bob.id}/${list}`, { key: bob.key })).json['data'] as {
          id: string
        }[]
      await eventually(async () => (await entries()).length > 0)
      return (await entries())[0]!.id
    }
    const connection = await made(`/v1/orgs/${bob.id}/sso-connections`, {
      kind: 'oidc',
      name: 'B',
      oidc: { issuer: 'https://203.0.113.7', client_id: 'c' },
    })
    const domain = await made(`/v1/orgs/${bob.id}/domains`, { domain: 'bob.example' })
    const sha256 = hash('sha256', `sk-${newUuid()}`)
    const foreignKeys = await made(`/v1/orgs/${bob.id}/foreign-keys`, { keys: [{ sha256, name: 'B' }] })
    const member = await made(`/v1/orgs/${bob.id}/members`, { email: 'bob@bob.example', role: 'member' })
    const app = { channel: 'C0123456789', signing_secret: '0'.repeat(32), bot_token: 'xoxb-1-2-3' }
    await succeed('PUT', `/v1/orgs/${bob.id}/slack-app`, bob.key, app)
    const bobsOrg = requireId('org', bob.id)
    const link = { id: newUuid(), member_id: requireId('member', String(member['id'])) }
    const slackUser = { slack_team_id: 'T1', slack_user_id: 'U1', slack_user_name: 'Bob' }
    await server.platform.sql.asOrgs([bobsOrg], (tx) => insertLink(tx, bobsOrg, { ...link, ...slackUser }))
    const foreign = {
      slack_link_id: formatId('slackLink', link.id),
      connection_id: connection['id'],
      domain_id: domain['id'],
      key_id: bob.keyId,
      grant_id: formatId('grant', newUuid()),
      session_id: (await signIn(server.url, bob.key)).id,
      member_id: member['id'],
      scim_token_id: (await made(`/v1/orgs/${bob.id}/scim-tokens`, { name: 'Okta' }))['id'],
      budget_id: budget['id'],
      concurrency_limit_id: concurrency['id'],
      limit_id: budget['id'],
      pack_id: pack['id'],
      price_id: price['id'],
      top_up_id: (
        await call(server.url, 'POST', `/v1/admin/orgs/${bob.id}/quota/top-ups`, {
          key: operator,
          body: { amount_usd: '9' },
        })
      ).json['id'],
      reservation_id: decision['reservation_id'],
      decision_id: decision['decision_id'],
      run_id: run.id,
      chain_id: run.chainId,
      sub_id: subscription['id'],
      rule_id: ruled['id'],
      approval_id: refused.error!.details['approval_id'],
      proposal_id: proposal['id'],
      model_id: model['id'],
      eval_id: (evals['data'] as { id: string }[])[0]!.id,
      route_id: route['id'],
      cohort_id: formatId('cohort', newUuid()),
      passkey_id: formatId('passkey', newUuid()),
      foreign_key_id: (foreignKeys['data'] as { id: string }[])[0]!.id,
      reconciliation_id: formatId('reconciliation', newUuid()),
      refusal_id: await firstOf('refusals'),
      event_id: await firstOf('events'),
    } as Record<string, string>
    for (const { method, template } of closedRoutes()) {
      const name = /\{(?!id\}|org_id\})(\w+)\}/.exec(template)?.[1]
      if (name === undefined || name in ownNames || template.startsWith('/v1/admin/')) continue
      // A delivery is behind its subscription, which is not the caller's either.
      expect(foreign[name] ?? name, name).toMatch(/^([a-z]{3}_[0-9a-z]{26}|delivery_id|.*chain.*)$/)
      const attempts = [foreign[name]!, formatId(idKindOf[name]!, newUuid()), 'nonsense', prefixes[idKindOf[name]!]]
      const answers = await Promise.all(
        attempts.map((id) => ask(method, pathOf(template, alice.id, { [name]: id }), alice.key)),
      )
      for (const { status, text } of answers) {
        expect(status, `${method} ${template}`).toBe(404)
        expect(text, `${method} ${template}`).toBe(answers[0]!.text)
      }
    }
  })
})

describe('role and scope', () => {
  test('a role that does not reach is forbidden', async () => {
    for (const { method, template, declaration } of closedRoutes()) {
      if (declaration.anyKey || declaration.role === 'viewer') continue
      expect(await codeOf(method, pathOf(template, alice.id), keys['viewer']), `${method} ${template}`).toBe(
        '403 forbidden',
      )
    }
  })

  test('a missing scope is named', async () => {
    for (const { method, template, declaration } of closedRoutes()) {
      const { role, scope } = declaration.tenant ?? declaration
      if (declaration.anyKey || role === 'operator') continue
      const key = keys[scope === 'webhooks:read' ? 'otherwise scopeless' : 'scopeless']
      const { status, json } = await ask(method, pathOf(template, alice.id), key)
      expect(status, `${method} ${template}`).toBe(403)
      expect(json.error).toMatchObject({ code: 'missing_scope', details: { required: scope } })
    }
  })

  test('an operator acts on the admin surface only: a named tenant is not found, anything else forbidden', async () => {
    for (const { method, template, declaration } of closedRoutes()) {
      if (template.startsWith('/v1/admin/') || declaration.anyKey) continue
      const expected = template.startsWith('/v1/orgs/{id}') ? '404 not_found' : '403 forbidden'
      expect(await codeOf(method, pathOf(template, alice.id), operator), `${method} ${template}`).toBe(expected)
    }
  })

  test('the operators’ own organization is found by no path, whoever asks', async () => {
    const operators = formatId('org', operatorsOrgId)
    for (const { method, template } of closedRoutes().filter((route) => /\{(id|org_id)\}/.test(route.template))) {
      for (const key of [operator, alice.key])
        expect(await codeOf(method, pathOf(template, operators), key), `${method} ${template}`).toBe('404 not_found')
    }
  })

  test('a tenant on the admin surface is forbidden for its own organization and not found for another', async () => {
    for (const { method, template, declaration } of closedRoutes()) {
      if (!template.startsWith('/v1/admin/')) continue
      // Those that the organization's own keys may call say from which role on.
      const own = declaration.tenant ? keys['viewer'] : alice.key
      expect(await codeOf(method, pathOf(template, alice.id), own), `${method} ${template}`).toBe('403 forbidden')
      if (!template.includes('{org_id}')) continue
      expect(await codeOf(method, pathOf(template, bob.id), alice.key), `${method} ${template}`).toBe('404 not_found')
    }
  })
})

test('only the two routes of the organization’s webhook secret serve operators and tenants alike', async () => {
  const shared = closedRoutes().filter(({ declaration }) => declaration.tenant)
  expect(shared.map(({ method, template, declaration: { tenant } }) => [method, template, tenant])).toEqual([
    ['GET', '/v1/admin/orgs/{org_id}/webhook-secret', { role: 'admin', scope: 'webhooks:write' }],
    ['POST', '/v1/admin/orgs/{org_id}/webhook-secret/rotate', { role: 'admin', scope: 'webhooks:write' }],
  ])
  const admin = (await keyOf(server, alice.id, { role: 'admin' })).key
  for (const { method, template } of shared) {
    for (const key of [operator, alice.key, admin])
      expect((await ask(method, pathOf(template, alice.id), key)).status, `${method} ${template}`).toBe(200)
  }
})

test('what the key lacks is judged before the body: bad JSON and an oversized body without a key are 401', async () => {
  for (const { method, template } of closedRoutes().filter((route) => route.method !== 'GET')) {
    for (const body of ['{', `"${'x'.repeat(2_000_000)}"`]) {
      const { status } = await call(server.url, method, pathOf(template, alice.id), { body })
      expect(status, `${method} ${template}`).toBe(401)
    }
  }
})
