import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ErrorCode } from './errors.ts'
import type { JsonBounds } from './json-bounds.ts'

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
/** The extent of a role; a service key does a member's work. */
const ranks: Record<Exclude<Role, 'operator'>, number> = { viewer: 1, service: 2, member: 2, admin: 3, owner: 4 }

/** True where a role includes another. Operators stand beside the roles of organizations, not above them. */
export function reaches(role: Role, needed: Role): boolean {
  if (role === 'operator' || needed === 'operator') return role === needed
  return ranks[role] >= ranks[needed]
}

/** Every role that includes another, most powerful first. */
export const rolesFrom = (needed: Role): Role[] => roles.filter((role) => reaches(role, needed))

export type Scope = `${string}:${'read' | 'write' | 'decide' | 'import' | 'manage'}`

/** A code with several statuses may answer with some of them only. */
export type DeclaredError = ErrorCode | { readonly code: ErrorCode; readonly status: number }

/** What a route is worth under load, most urgent first. */
export const urgencies = ['decision', 'ingest', 'change', 'read', 'export'] as const
export type Urgency = (typeof urgencies)[number]

/** A body type as a thread of its own finds it: an export of a module, or what a function that it exports makes of parameters. */
export interface BodySource {
  readonly url: string
  readonly name: string
  readonly parameters?: readonly unknown[]
}

/** How a route reads bodies of a media type other than JSON. */
export interface BodyType {
  /** From inflated bytes to the value that is then validated, or what `unreadable` says of them. */
  readonly read: (bytes: Buffer, bounds: JsonBounds) => unknown
  /** Where a thread finds it, so that large bodies are read there. */
  readonly source?: BodySource
  /** How the documentation describes the body; by default as for JSON. */
  readonly schema?: object
  /** An example of such a body, where it is text. */
  readonly example?: string
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
  /**
   * How it serves keys that are pinned to values of dimensions; where it does not say so, it refuses them. `filtered`: they
   * are served what lies within their pins. `unaffected`: nothing that it shows or does belongs to a value of a dimension.
   */
  pinned?: 'filtered' | 'unaffected'
  /** Error codes of this route's own rules; those that the chain of checks can answer are added by themselves. */
  errors?: readonly DeclaredError[]
  /** The status of an exhausted quota window, where it is not 429. */
  quotaStatus?: 402
  /** What it is worth under load; by default reads are shed before changes. */
  urgency?: Urgency
  /** Reads much from the database: few at a time of one organization, within a budget of database time. */
  expensive?: true
  /** Takes batches: the larger body limit applies. */
  bulk?: true
  /** Reads these media types too, beside JSON. */
  bodyTypes?: Readonly<Record<string, BodyType>>
  /** The body is in a format of others: only its shape is validated, its text is for the route to judge. */
  foreignBody?: true
  /** Claims idempotency keys itself, in the transaction of its effect. */
  keepsOwnAnswers?: true
  /** Does not honour `Idempotency-Key`: it changes nothing, or recognises by itself what it has recorded. */
  ignoresIdempotencyKey?: true
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

/** Whether a retry of a request to a route is recognised by its `Idempotency-Key`; elsewhere the header is ignored. */
export const honoursIdempotencyKey = (method: string, { open, ignoresIdempotencyKey }: RouteDeclaration) =>
  method !== 'GET' && method !== 'HEAD' && open !== true && ignoresIdempotencyKey !== true

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
    const { open, anyKey, role, scope, tenant, bulk, urgency, expensive } = options.config
    const declared = [open === true, anyKey === true, role !== undefined && scope !== undefined].filter(Boolean).length
    if (declared !== 1 || (role === undefined) !== (scope === undefined)) {
      throw new Error(
        `${[options.method].flat().join()} ${template} must declare either open, or anyKey, or both role and scope`,
      )
    }
    if (tenant && !(role === 'operator' && template.startsWith('/v1/admin/orgs/{org_id}/')))
      throw new Error(`${template} declares tenant, but is no route of operators about one organization`)
    if (urgency === 'export' && expensive !== true)
      throw new Error(`${template} is an export, which must be declared expensive`)
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

export function keepDeclarations(app: App) {
  app.decorateRequest('route')
  app.addHook('onRequest', (request, _reply, done) => {
    request.route = request.routeOptions.config
    done()
  })
}
