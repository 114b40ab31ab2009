import type { Check } from '../check.ts'
import { expectMatch, expectSame, expectStatus, expectThat, summaryOf } from '../expectations.ts'
import type { World } from '../world.ts'

export interface Deprecation {
  readonly method: string
  readonly route: string
  readonly since: string
  readonly sunset: string
  readonly replacement: string
  readonly documentation: string
}

const webhookSunset = 'Fri, 31 Dec 2027 23:59:59 GMT'

/** The deprecations of routes that were announced, as they were announced. */
export const announced = [
  {
    method: 'GET',
    route: '/v1/admin/orgs/{org_id}/webhook-secret',
    sunset: webhookSunset,
    replacement: '/v1/orgs/{id}/webhooks/{sub_id}/signing',
  },
  {
    method: 'POST',
    route: '/v1/admin/orgs/{org_id}/webhook-secret/rotate',
    sunset: webhookSunset,
    replacement: '/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate',
  },
  {
    method: 'GET',
    route: '/v1/forecast',
    sunset: 'Wed, 31 Dec 2036 23:59:59 GMT',
    replacement: '/v1/capacity/forecasts',
  },
] as const

export const announcedOn = '2026-07-22'

export const listingOf = (world: World): Promise<Deprecation[]> =>
  world.once('the listing of deprecations', async () => {
    const answer = expectStatus(await world.client.call('GET', '/v1/meta/deprecations'), 200)
    expectThat(Array.isArray(answer.json), `the listing is no bare array: ${summaryOf(answer)}`)
    return answer.json as Deprecation[]
  })

/** The entry of a route that must be listed. */
export const entryOf = async (world: World, route: string): Promise<Deprecation> => {
  const entry = (await listingOf(world)).find((listed) => listed.route === route)
  expectThat(entry !== undefined, `${route} is not listed`)
  return entry
}

const eachEntry = async (world: World, check: (entry: Deprecation) => void) => {
  const entries = await listingOf(world)
  expectThat(entries.length > 0, 'the listing is empty')
  for (const entry of entries) check(entry)
}

export const imfFixdate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

export const listingChecks: Record<number, Check> = {
  17: (world) => eachEntry(world, ({ route }) => expectMatch(route, /^\/v1(\/([a-z-]+|\{[a-z_]+\}))+$/, 'route')),
  18: (world) =>
    eachEntry(world, ({ since }) => {
      expectMatch(since, /^\d{4}-\d\d-\d\d$/, 'since')
      expectThat(!Number.isNaN(Date.parse(since)), `since is ${since}, no date`)
    }),
  19: (world) =>
    eachEntry(world, ({ sunset }) => {
      expectMatch(sunset, imfFixdate, 'sunset')
      expectSame(new Date(sunset).toUTCString(), sunset, 'the date that sunset stands for')
    }),
  20: (world) => eachEntry(world, ({ replacement }) => expectMatch(replacement, /^\/v[1-9]\//, 'replacement')),
  21: async (world) => {
    const org = await world.shared()
    const { headers } = await org.call('GET', '/v1/forecast')
    const docs = /<([^>]+)>; rel="deprecation"/.exec(headers['link'] ?? '')?.[1]
    expectThat(docs !== undefined, `Link of GET /v1/forecast is ${headers['link']}`)
    await eachEntry(world, ({ documentation }) =>
      expectThat(documentation.startsWith(`${docs}/`), `documentation is ${documentation}, not below ${docs}`),
    )
  },
  22: (world) => listingOf(world),
  23: async (world) => {
    const listed = (await listingOf(world)).map(({ route }) => route)
    expectSame(
      new Set(listed).size,
      listed.length,
      'the number of different routes in the listing, against its entries',
    )
    for (const { route } of announced) await entryOf(world, route)
    const document = await openApi(world)
    const flagged = operationsOf(document).filter(({ operation }) => operation['deprecated'] === true)
    expectSame(
      listed.toSorted(),
      flagged.map(({ path }) => path).toSorted(),
      'the listing, against what OpenAPI flags,',
    )
  },
}

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>
}

export const openApi = (world: World): Promise<Document> =>
  world.once('the OpenAPI document', async () => {
    const answer = expectStatus(await world.client.call('GET', '/v1/openapi.json'), 200)
    return answer.json as Document
  })

export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'put', 'post', 'delete', 'patch'].includes(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
