import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import { ApiError, type ErrorCode } from './errors.ts'

/** The server as domains see it: a route's schema gives the types of its handler. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export const roles = ['owner', 'admin', 'member', 'viewer', 'service', 'operator'] as const
export type Role = (typeof roles)[number]
export type Scope = `${string}:${'read' | 'write' | 'decide' | 'import'}`

/** A code with several statuses may answer with some of them only. */
export type DeclaredError = ErrorCode | { readonly code: ErrorCode; readonly status: number }

/** What a route is worth under load, most urgent first. */
export const urgencies = ['decision', 'ingest', 'change', 'read', 'export'] as const
export type Urgency = (typeof urgencies)[number]

/** How a route reads bodies of a media type other than JSON. */
export interface BodyType {
  /** From inflated bytes to the value that is then validated, or what `unreadable` says of them. */
  readonly read: (bytes: Buffer) => unknown
  /** How the documentation describes the body; by default as for JSON. */
  readonly schema?: object
}

/** What a `/v1` route declares about itself. Everything else that is true of it follows from the contract. */
export interface RouteDeclaration {
  /** Answers without a key. Every other route names the least role and the scope that a key needs. */
  open?: true
  /** Answers to any valid key, whatever its role and scopes. */
  anyKey?: true
  role?: Role
  scope?: Scope
  /** On a route of operators: the organization's own keys may call it too, from this role on and with this scope. */
  tenant?: { readonly role: Exclude<Role, 'operator'>; readonly scope: Scope }
  /** Error codes of this route's own rules; those that the chain of checks can answer are added by themselves. */
  errors?: readonly DeclaredError[]
  /** What it is worth under load; by default reads are shed before changes. */
  urgency?: Urgency
  /** Takes batches: the larger body limit applies. */
  bulk?: true
  /** Reads these media types too, beside JSON. */
  bodyTypes?: Readonly<Record<string, BodyType>>
  /** The body is in a format of others: only its shape is validated, its text is for the route to judge. */
  foreignBody?: true
  /** Claims idempotency keys itself, in the transaction of its effect. */
  keepsOwnAnswers?: true
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {
    /** The path in the contract's spelling (`/v1/orgs/{id}`): label of metrics, key of the deprecation registry. */
    template?: string
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the matched route declares; the framework would make a new object at each look. */
    route: FastifyContextConfig
  }
}

export interface Route {
  readonly method: string
  readonly template: string
  readonly declaration: RouteDeclaration
  readonly schema: { readonly operationId?: string }
}

export const templateOf = (path: string) => path.replace(/:([A-Za-z_][A-Za-z0-9_]*)/g, '{$1}')

export const isContractPath = (path: string) => path.startsWith('/v1/')

/**
 * Keeps the list of `/v1` routes, from which authorization, documentation and tests derive what is true of all of them.
 * A route that does not say who may call it does not start.
 */
export function keepRouteList(app: App, limits: { bulkBodyLimitBytes: number }): Route[] {
  const routes: Route[] = []
  app.addHook('onRoute', (options) => {
    const template = templateOf(options.url)
    options.config = { ...options.config, template }
    if (!isContractPath(template)) return
    const { open, anyKey, role, scope, tenant, bulk } = options.config
    const declared = [open === true, anyKey === true, role !== undefined && scope !== undefined].filter(Boolean).length
    if (declared !== 1 || (role === undefined) !== (scope === undefined)) {
      throw new Error(
        `${[options.method].flat().join()} ${template} must declare either open, or anyKey, or both role and scope`,
      )
    }
    if (tenant && !(role === 'operator' && template.startsWith('/v1/admin/orgs/{org_id}/')))
      throw new Error(`${template} declares tenant, but is no route of operators about one organization`)
    if (bulk) options.bodyLimit = limits.bulkBodyLimitBytes
    const described = (options.schema as { params?: { properties?: object } } | undefined)?.params?.properties ?? {}
    for (const name of Array.from(template.matchAll(/\{(\w+)\}/g), ([, inner]) => inner!)) {
      if (!(name in described)) throw new Error(`${template} must have a schema for its parameter ${name}`)
    }
    for (const method of [options.method].flat()) {
      if (method === 'HEAD') continue // comes with every GET by itself
      const schema = (options.schema ?? {}) as { operationId?: string }
      if (schema.operationId === undefined) throw new Error(`${method} ${template} must have an operationId`)
      routes.push({ method, template, declaration: options.config, schema })
    }
  })
  return routes
}

/** An unmatched path or method is 404 before anything else is asked, with or without a key, and its body is not read. */
export function refuseUnmatched(app: App) {
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? new ApiError('not_found') : undefined))
}

export function keepDeclarations(app: App) {
  app.decorateRequest('route')
  app.addHook('onRequest', (request, _reply, done) => {
    request.route = request.routeOptions.config
    done()
  })
}
