import type { Check } from '../check.ts'
import { type Answer, readAnswer } from '../client.ts'
import { expectMatch, expectSame, expectStatus, expectThat } from '../expectations.ts'
import { untilRefused } from '../refusals.ts'
import type { World } from '../world.ts'
import {
  announced,
  announcedOn,
  type Deprecation,
  entryOf,
  imfFixdate,
  listingOf,
  openApi,
  operationsOf,
} from './listing.ts'

/** A served answer of each deprecated route. */
const served = (world: World) =>
  world.once('answers of deprecated routes', async () => {
    const org = await world.makeOrg()
    const answers = await Promise.all([
      org.admin('GET', '/webhook-secret'),
      org.admin('POST', '/webhook-secret/rotate'),
      org.call('GET', '/v1/forecast'),
    ])
    for (const answer of answers) expectStatus(answer, 200)
    const entries = await Promise.all(announced.map(({ route }) => entryOf(world, route)))
    return entries.map((entry, i) => ({ entry, answer: answers[i]! }))
  })

const eachServed = async (world: World, check: (entry: Deprecation, answer: Answer) => void) => {
  for (const { entry, answer } of await served(world)) check(entry, answer)
}

/** Answers of a deprecated route to all sorts of requests. */
const oddAnswers = async (world: World): Promise<Answer[]> => {
  const { client } = world
  const org = await world.makeOrg()
  const wired = async (what: string, text: string) => {
    const answer = readAnswer(what, await client.wire(text))
    expectThat(answer !== undefined, `${what} is not answered`)
    return answer
  }
  const authorization = `authorization: Bearer ${org.key}`
  const answers = await Promise.all([
    org.call('GET', '/v1/forecast'),
    org.call('HEAD', '/v1/forecast'),
    org.call('GET', '/v1/forecast?colour=red'),
    org.call('GET', '/v1/forecast?team_count=%zz'),
    client.call('GET', '/v1/forecast'),
    client.call('GET', '/v1/forecast', { key: 'nonsense' }),
    world.operator('GET', '/v1/forecast'),
    world.operator('GET', '/v1/admin/orgs/nobody/webhook-secret'),
    world.operator('POST', '/v1/admin/orgs/nobody/webhook-secret/rotate', '{'),
    wired(
      'GET /v1/forecast with Expect: foo',
      client.head('GET', '/v1/forecast', authorization, 'expect: foo', 'connection: close'),
    ),
    wired(
      'GET /v1/forecast without a host',
      `GET /v1/forecast HTTP/1.1\r\n${authorization}\r\nconnection: close\r\n\r\n`,
    ),
  ])
  expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: 1, policies: [] }), 200)
  return [...answers, expectStatus(await untilRefused(() => org.call('GET', '/v1/forecast')), 429)]
}

/** A deprecation that was announced, as the server lists it. */
const asAnnounced =
  (index: number): Check =>
  async (world) => {
    const { route, sunset, replacement } = announced[index]!
    const entry = await entryOf(world, route)
    expectSame(
      { sunset: entry.sunset, replacement: entry.replacement },
      { sunset, replacement },
      `the announcement of ${route}`,
    )
    expectStatus((await served(world))[index]!.answer, 200)
  }

export const signalChecks: Record<number, Check> = {
  149: (world) =>
    eachServed(world, ({ route, since }, { headers }) =>
      expectSame(headers['deprecation'], `@${Date.parse(`${since}T00:00:00Z`) / 1_000}`, `Deprecation of ${route}`),
    ),
  150: (world) =>
    eachServed(world, ({ route, sunset }, { headers }) => {
      expectMatch(headers['sunset'], imfFixdate, `Sunset of ${route}`)
      expectSame(headers['sunset'], sunset, `Sunset of ${route}`)
    }),
  151: (world) =>
    eachServed(world, ({ route, replacement }, { headers }) => {
      expectMatch(headers['link'], /<[^>]+>; rel="deprecation"/, `Link of ${route}`)
      const successor = `<${replacement}>; rel="successor-version"`
      expectThat(headers['link']!.includes(successor), `Link of ${route} is ${headers['link']}, without ${successor}`)
    }),
  152: async (world) => {
    for (const answer of await oddAnswers(world))
      for (const name of ['deprecation', 'sunset', 'link'])
        expectThat(answer.headers[name] !== undefined, `${answer.asked} answered ${answer.status} without ${name}`)
    const other = await world.client.call('GET', '/v1/meta/deprecations')
    expectThat(other.headers['deprecation'] === undefined, 'a route that is not deprecated carries Deprecation')
  },
  153: async (world) => {
    const flagged = operationsOf(await openApi(world))
      .filter(({ operation }) => operation['deprecated'] === true)
      .map(({ method, path }) => `${method} ${path}`)
    expectSame(
      flagged.toSorted(),
      announced.map(({ method, route }) => `${method} ${route}`).toSorted(),
      'what is flagged',
    )
  },
  154: async (world) => {
    const org = await world.shared()
    const before = await world.counted('/v1/forecast')
    for (let i = 0; i < 3; i++) expectStatus(await org.call('GET', '/v1/forecast'), 200)
    const after = await world.counted('/v1/forecast')
    expectThat((after ?? 0) >= (before ?? 0) + 3, `three calls took the counter from ${before} to ${after}`)
  },
  155: async (world) => {
    await served(world)
    const lines = (await world.exposition())
      .split('\n')
      .filter((line) => line.startsWith('svc_deprecated_route_calls_total{'))
    const labels = lines.map((line) => line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1))
    expectSame(
      labels.toSorted(),
      announced.map(({ route }) => `{route="${route}"}`).toSorted(),
      'the series of the counter',
    )
  },
  157: asAnnounced(0),
  158: asAnnounced(1),
  161: asAnnounced(2),
  163: async (world) => {
    const pages = ['/console', '/console/signin', '/console/no-such-page']
    for (const path of pages) {
      const { headers } = await world.client.call('GET', path)
      expectThat(!('deprecation' in headers || 'sunset' in headers), `${path} has the headers of a deprecation`)
    }
  },
  162: async (world) => {
    for (const { route, since } of await listingOf(world)) expectSame(since, announcedOn, `since of ${route}`)
    await served(world)
  },
}
