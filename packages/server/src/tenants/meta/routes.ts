import { eventWebhooks } from '../../access/events/events.ts'
import { type Deprecation, findDeprecatedRoute, listDeprecations } from '../../contract/deprecations/deprecations.ts'
import { catalog, errorCodes } from '../../contract/errors.ts'
import { pageInMemory, pageRequest } from '../../contract/lists.ts'
import { completeDocument, describeTag, flagDeprecated, tagsOf } from '../../contract/openapi.ts'
import type { ApiRoute, App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { DeprecationListing, ErrorList, ErrorListQuery, OpenApiDocument } from './schema.ts'

/** Routes about the service: its errors, deprecations and routes. */
export function meta(app: App, { addresses }: Platform, registry: readonly Deprecation[], routes: readonly ApiRoute[]) {
  describeTag(app, 'meta', 'Information about the service: errors, deprecations and the API description.')

  app.get(
    '/v1/meta/deprecations',
    {
      config: { open: true },
      schema: {
        operationId: 'listDeprecations',
        tags: ['meta'],
        summary: 'List deprecated routes',
        description:
          'One entry per deprecated route. The route itself also announces it in the `Deprecation`, `Sunset` and `Link` headers.',
        response: { 200: DeprecationListing },
      },
    },
    () => listDeprecations(registry, addresses.docsUrl()),
  )

  const entries = errorCodes.map((code) => ({
    code,
    statuses: [...catalog[code].statuses] as number[],
    message: catalog[code].message,
    details: catalog[code].details as unknown as Record<string, unknown>,
  }))

  app.get(
    '/v1/meta/errors',
    {
      config: { open: true },
      schema: {
        operationId: 'listErrors',
        tags: ['meta'],
        summary: 'List error codes',
        description: 'Every code that `/v1` can return, with its statuses and the fields of its details.',
        querystring: ErrorListQuery,
        response: { 200: ErrorList },
      },
    },
    ({ query }) => {
      const { status } = query
      const chosen = status === undefined ? entries : entries.filter((entry) => entry.statuses.includes(status))
      return pageInMemory(chosen, pageRequest(query, 'code'), ({ code }) => ({ value: code, id: code }))
    },
  )

  let complete: ReturnType<typeof completeDocument> | undefined

  app.get(
    '/v1/openapi.json',
    {
      config: { open: true },
      schema: {
        operationId: 'getOpenApiDocument',
        tags: ['meta'],
        summary: 'Get the OpenAPI document',
        description: 'This document.',
        response: { 200: OpenApiDocument },
      },
    },
    () => {
      complete ??= completeDocument(
        app.swagger() as Parameters<typeof completeDocument>[0],
        routes,
        tagsOf(app),
        eventWebhooks(),
      )
      return flagDeprecated(
        complete,
        routes,
        ({ method, template }) => findDeprecatedRoute(registry, method, template) !== undefined,
      )
    },
  )
}
