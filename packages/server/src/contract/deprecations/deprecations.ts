import { Counter } from 'prom-client'
import type { Platform } from '../../platform/infra/platform.ts'
import { present } from '../../values/present.ts'
import type { App } from '../routes.ts'
import { type DeprecationHeaders, deprecationHeaders, documentationOf, httpDate } from './headers.ts'
import type { DeprecatedDelivery, DeprecatedRoute, Deprecation } from './registry.ts'

export { type DeprecationHeaders, deprecationHeaders, documentationOf } from './headers.ts'
export { deprecations } from './registry.ts'
export { deprecationFields } from './schema.ts'
export type { DeprecatedDelivery, DeprecatedRoute, Deprecation }

declare module 'fastify' {
  interface FastifyRequest {
    /** The deprecated route that is called; undefined for every other. */
    deprecatedRoute: DeprecatedRoute | undefined
  }
}

export const deprecatedRoutes = (registry: readonly Deprecation[]): DeprecatedRoute[] =>
  registry.filter((entry) => entry.kind === 'route')

/** Returns the name of a deprecated surface, for people. */
export const surfaceOf = (entry: Deprecation): string =>
  entry.kind === 'route'
    ? `${entry.method} ${entry.route}`
    : entry.kind === 'setting'
      ? `${entry.variable} environment variable`
      : entry.surface

/** Returns a deprecated route as the API shows it. */
export const viewOfDeprecated = (entry: DeprecatedRoute, docsUrl: string) => ({
  route: entry.route,
  method: entry.method,
  since: entry.since,
  sunset: httpDate(entry.sunset),
  ...(entry.replacement && { replacement: entry.replacement }),
  documentation: documentationOf(entry, docsUrl),
})

/** Returns the listing that the contract defines: routes only, since only they have headers of their own. */
export const listDeprecations = (registry: readonly Deprecation[], docsUrl: string) =>
  deprecatedRoutes(registry).map((entry) => viewOfDeprecated(entry, docsUrl))

/** Returns the headers of every delivery that is signed in the deprecated way. */
export const deliveryHeaders = (registry: readonly Deprecation[], docsUrl: string): DeprecationHeaders =>
  deprecationHeaders(present(registry.find((entry): entry is DeprecatedDelivery => entry.kind === 'delivery')), docsUrl)

export const findDeprecatedRoute = (registry: readonly Deprecation[], method: string, route: string) =>
  registry.find(
    (entry): entry is DeprecatedRoute => entry.kind === 'route' && entry.route === route && entry.method === method,
  )

/**
 * Adds the deprecation headers to every response of a deprecated route, errors included, and counts the calls. The registry is
 * read on each request, so a newly flagged route is signalled from its next response on. A call that was handed on to another cell is
 * counted there.
 */
export function signalDeprecations(
  app: App,
  { metrics, addresses }: Platform,
  deprecations: readonly Deprecation[],
): void {
  const calls = new Counter({
    name: 'svc_deprecated_route_calls_total',
    help: 'Calls of deprecated routes, by route template.',
    labelNames: ['route'],
    registers: [metrics],
    collect() {
      for (const { route } of deprecatedRoutes(deprecations)) this.inc({ route }, 0)
    },
  })
  const prepared = new WeakMap<DeprecatedRoute, DeprecationHeaders>()

  app.decorateRequest('deprecatedRoute')
  app.addHook('onRequest', (request, reply, done) => {
    const { template } = request.route
    const entry =
      template === undefined
        ? undefined
        : findDeprecatedRoute(deprecations, request.method === 'HEAD' ? 'GET' : request.method, template)
    if (entry) {
      let headers = prepared.get(entry)
      if (!headers) prepared.set(entry, (headers = deprecationHeaders(entry, addresses.docsUrl())))
      reply.headers({ ...headers })
      request.deprecatedRoute = entry
    }
    done()
  })
  app.addHook('onSend', ({ deprecatedRoute, isHandedOn }, _reply, payload, done) => {
    if (deprecatedRoute && !isHandedOn) calls.inc({ route: deprecatedRoute.route })
    done(null, payload)
  })
}
