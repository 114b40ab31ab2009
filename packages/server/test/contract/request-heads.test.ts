import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiRoute } from '../../src/contract/routes.ts'
import { useServer } from '../support/harness.ts'
import { exchange, type RawAnswer, request } from '../support/raw-http.ts'
import { operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** Rules of HTTP that hold for every route, asked of every route. */

const server = useServer()
let operator: string
let tenant: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
})

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  exchange(server.port, [request(method, path, headers)])

const valueOf = (name: string) => (name === 'id' || name === 'org_id' ? tenant.id : `some-${name}`)
const pathOf = ({ template }: ApiRoute, replace: (name: string) => string = valueOf) =>
  template.replace(/\{(\w+)\}/g, (_whole, name: string) => replace(name))
const nameOf = ({ method, template }: ApiRoute) => `${method} ${template}`
const parametersOf = ({ template }: ApiRoute) => Array.from(template.matchAll(/\{(\w+)\}/g), ([, name]) => name!)

/** What is wrong with the answer of each route, by the route's name. */
async function failures(routes: readonly ApiRoute[], judge: (route: ApiRoute) => Promise<string | undefined>) {
  const found: string[] = []
  for (const route of routes) {
    const fault = await judge(route)
    if (fault !== undefined) found.push(`${nameOf(route)}: ${fault}`)
  }
  return found
}

const saying = ({ status, text }: RawAnswer) => `${status} ${text}`

describe('an unmatched path', () => {
  test('is one with an empty segment, on every route that has a parameter, with a key and without', async () => {
    const unmatched = saying(await send('GET', '/v1/nope'))
    const withParameters = server.routes.filter((route) => parametersOf(route).length > 0)
    expect(withParameters.length).toBeGreaterThan(50)
    const found = await failures(withParameters, async (route) => {
      for (const empty of parametersOf(route)) {
        const path = pathOf(route, (name) => (name === empty ? '' : valueOf(name)))
        for (const headers of [{}, { authorization: `Bearer ${tenant.key}` }]) {
          const said = saying(await send(route.method, path, headers))
          if (said !== unmatched) return `${path} ${said}`
        }
      }
      return undefined
    })
    expect(found).toEqual([])
  })

  test('is one that ends with a slash, or is asked for by a method that nobody knows', async () => {
    const unmatched = saying(await send('GET', '/v1/nope'))
    const found = await failures(server.routes, async (route) => {
      const slash = saying(await send(route.method, `${pathOf(route)}/`))
      const method = saying(await send('FROB', pathOf(route)))
      return slash !== unmatched ? slash : method !== unmatched ? method : undefined
    })
    expect(found).toEqual([])
  })
})

test('every 401 says how to authenticate, and whether the token was the fault', async () => {
  const closed = server.routes.filter(({ declaration }) => declaration.open !== true)
  const found = await failures(closed, async (route) => {
    const without = await send(route.method, pathOf(route))
    const bad = await send(route.method, pathOf(route), { authorization: 'Bearer weir_no' })
    if (without.status !== 401 || bad.status !== 401) return `${without.status} ${bad.status}`
    const challenges = [without, bad].map(({ headers }) => headers['www-authenticate'])
    return challenges.join(' | ') === 'Bearer realm="Weir" | Bearer realm="Weir", error="invalid_token"'
      ? undefined
      : challenges.join(' | ')
  })
  expect(found).toEqual([])
})

describe('every answer of a deprecated route is marked', () => {
  const deprecated = () => server.routes.filter(isDeprecated)
  const isDeprecated = (route: ApiRoute) =>
    server.registry.some((entry) => entry.kind === 'route' && `${entry.method} ${entry.route}` === nameOf(route))
  const malformed: [string, string, (path: string) => string][] = [
    ['an expectation that nobody meets', 'expect: foo\r\n', (path) => path],
    ['two hosts', 'host: b\r\n', (path) => path],
    ['two authorizations', 'authorization: a\r\nauthorization: b\r\n', (path) => path],
    ['a query that cannot be decoded', '', (path) => `${path}?a=%zz`],
    ['a fragment', '', (path) => `${path}#a`],
  ]
  const isMarked = ({ headers }: RawAnswer) =>
    headers['deprecation'] !== undefined && headers['sunset'] !== undefined && headers['link'] !== undefined

  test.each(malformed)('with %s', async (_what, lines, pathWith) => {
    expect(deprecated()).toHaveLength(3)
    const found = await failures(deprecated(), async (route) => {
      const head = `${route.method} ${pathWith(pathOf(route))} HTTP/1.1\r\nhost: a\r\n${lines}\r\n`
      const answer = await exchange(server.port, [head])
      return answer.status === 400 && isMarked(answer)
        ? undefined
        : `${answer.status} ${JSON.stringify(answer.headers)}`
    })
    expect(found).toEqual([])
  })

  test('with a path that cannot be decoded', async () => {
    for (const broken of ['%zz', '%', '%c0%af', 'a%2']) {
      const found = await failures(
        deprecated().filter((route) => parametersOf(route).length > 0),
        async (route) => {
          const answer = await send(
            route.method,
            pathOf(route, () => broken),
          )
          return answer.status === 400 && isMarked(answer) ? undefined : saying(answer)
        },
      )
      expect(found).toEqual([])
    }
  })

  test('and with no host', async () => {
    const found = await failures(deprecated(), async (route) => {
      const answer = await exchange(server.port, [`${route.method} ${pathOf(route)} HTTP/1.1\r\n\r\n`])
      return answer.status === 400 && isMarked(answer) ? undefined : saying(answer)
    })
    expect(found).toEqual([])
  })
})

test('the answer to HEAD is as long as that to GET, or does not say', async () => {
  const exports = server.routes.filter(({ method, template }) => method === 'GET' && template.endsWith('/export'))
  expect(exports.length).toBeGreaterThan(0)
  const found = await failures(exports, async (route) => {
    const headers = { authorization: `Bearer ${route.template.startsWith('/v1/admin/') ? operator : tenant.key}` }
    const url = `${server.url}${pathOf(route)}?from=2026-01-01&to=2026-01-02`
    const [head, whole] = [await fetch(url, { method: 'HEAD', headers }), await fetch(url, { headers })]
    const told = head.headers.get('content-length')
    const length = (await whole.arrayBuffer()).byteLength
    return head.status === 200 && (told === null || Number(told) === length) ? undefined : `${told}, not ${length}`
  })
  expect(found).toEqual([])
})
