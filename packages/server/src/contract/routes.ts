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

/** The server as domains see it: the schema of a route gives its handler the types. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export const roles = ['owner', 'admin', 'member', 'viewer', 'service', 'operator'] as const
export type Role = (typeof roles)[number]
/** Rank of each role; a service key ranks with a member. */
const ranks: Record<Exclude<Role, 'operator'>, number> = { viewer: 1, service: 2, member: 2, admin: 3, owner: 4 }

/** True when a role includes another. The operator role stands beside the roles of organizations, not above them. */
export function includesRole(role: Role, needed: Role): boolean {
  if (role === 'operator' || needed === 'operator') return role === needed
  return ranks[role] >= ranks[needed]
}

/** Returns every role that includes another, most powerful first. */
export const rolesIncluding = (needed: Role): Role[] => roles.filter((role) => includesRole(role, needed))

export type Scope = `${string}:${'read' | 'write' | 'decide' | 'import' | 'manage'}`

/** True for routes that agents call while they work: decisions, and what is recorded in bulk. */
export const isPressing = (route: RouteDeclaration | undefined) =>
  route?.urgency === 'decision' || route?.urgency === 'ingest'

/** An error code that a route declares; one with several statuses may be limited to some of them. */
export type DeclaredError = ErrorCode | { readonly code: ErrorCode; readonly status: number }

/** Urgency classes of routes under load, most urgent first. */
export const urgencies = ['decision', 'ingest', 'change', 'read', 'export'] as const
export type Urgency = (typeof urgencies)[number]

/**
 * Reference by which the body thread finds a body type: an export of a module, or the result of an exported function called
 * with parameters.
 */
export interface BodySource {
  readonly url: string
  readonly name: string
  readonly parameters?: readonly unknown[]
}

/** Reader of bodies of a media type other than JSON. */
export interface BodyType {
  /** Turns inflated bytes into the value that is then validated, or the faults that `unreadable` wraps. */
  readonly read: (bytes: Buffer, bounds: JsonBounds) => unknown
  /** Reference for the body thread, so that large bodies are read there. */
  readonly source?: BodySource
  /** Schema in the documentation; by default that of the JSON body. */
  readonly schema?: object
  /** Example of the body, when it is text. */
  readonly example?: string
}

/** Properties that a `/v1` route declares. Everything else about it follows from the contract. */
export interface RouteDeclaration {
  /** Needs no key. Every other route names the minimum role and the scope that a key needs. */
  open?: true
  /** Accepts any valid key, whatever its role and scopes. */
  anyKey?: true
  role?: Role
  scope?: Scope
  /** Scopes any of which serves in place of `scope`. */
  orScopes?: readonly Scope[]
  /** On an operators' route: minimum role and scope with which the organization's own keys may call it too. */
  tenant?: { readonly role: Exclude<Role, 'operator'>; readonly scope: Scope }
  /**
   * Treatment of keys that are pinned to values of dimensions; without it they are refused. `filtered`: they see what lies
   * within their pins. `unaffected`: nothing that the route shows or does belongs to a value of a dimension.
   */
  pinned?: 'filtered' | 'unaffected'
  /** Error codes of this route's own rules; those that the common checks can return are added automatically. */
  errors?: readonly DeclaredError[]
  /** Status of an exhausted quota window, when it is not 429. */
  quotaStatus?: 402
  /** Urgency under load; by default reads are shed before changes. */
  urgency?: Urgency
  /** Reads much from the database: few run at a time per organization, within a budget of database time. */
  expensive?: true
  /** Accepts batches: the larger body limit applies. */
  bulk?: true
  /** Takes the input of a model: a body limit of its own applies, and a large body is read in the body thread. */
  takesInput?: true
  /** Media types that it reads besides JSON. */
  bodyTypes?: Readonly<Record<string, BodyType>>
  /** The body is in a foreign format: only its shape is validated, the route judges its text. */
  foreignBody?: true
  /** Claims idempotency keys itself, in the transaction of its effect. */
  storesOwnResponses?: true
  /** Ignores `Idempotency-Key`: it changes nothing, or recognizes by itself what it has recorded. */
  ignoresIdempotencyKey?: true
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {
    /** Path in the contract's spelling (`/v1/orgs/{id}`): label of metrics, key of the deprecation registry. */
    template?: string
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Declaration of the matched route; the framework would create a new object at each access. */
    route: FastifyContextConfig
  }
}

export interface ApiRoute {
  readonly method: string
  readonly template: string
  readonly declaration: RouteDeclaration
  readonly schema: { readonly operationId?: string; readonly response?: unknown }
}

export const templateOf = (path: string) => path.replace(/:([A-Za-z_][A-Za-z0-9_]*)/g, '{$1}')

/** True when a route recognizes a retry by its `Idempotency-Key`; elsewhere the header is ignored. */
export const honoursIdempotencyKey = (method: string, { open, ignoresIdempotencyKey }: RouteDeclaration) =>
  method !== 'GET' && method !== 'HEAD' && open !== true && ignoresIdempotencyKey !== true

/** Header in which a caller says why it makes a change. */
export const reasonHeader = 'X-Svc-Reason'

/** True when a route may make a change that the audit log records, with the reason that the caller gives. */
export const takesReason = (method: string, { open, storesOwnResponses }: RouteDeclaration) =>
  method !== 'GET' && method !== 'HEAD' && open !== true && storesOwnResponses !== true

export const isContractPath = (path: string) => path.startsWith('/v1/')

/** Largest bodies in bytes: of any route, of one that accepts batches, and of one that takes the input of a model. */
interface BodyLimits {
  readonly bodyLimitBytes: number
  readonly bulkBodyLimitBytes: number
  readonly inputBodyLimitBytes: number
}

/**
 * Collects the `/v1` routes, from which authorization, documentation and tests derive what is true of all of them. A route that
 * does not declare its callers fails at start-up.
 */
export function collectRoutes(app: App, limits: BodyLimits): ApiRoute[] {
  const routes: ApiRoute[] = []
  app.addHook('onRoute', (options) => {
    const template = templateOf(options.url)
    options.config = { ...options.config, template }
    if (!isContractPath(template)) return
    const { open, anyKey, role, scope, tenant, bulk, takesInput, urgency, expensive } = options.config
    const declared = [open === true, anyKey === true, role !== undefined && scope !== undefined].filter(Boolean).length
    if (declared !== 1 || (role === undefined) !== (scope === undefined)) {
      throw new Error(
        `${[options.method].flat().join()} ${template} must declare either open, or anyKey, or both role and scope`,
      )
    }
    if (tenant && !(role === 'operator' && template.startsWith('/v1/admin/orgs/{org_id}/')))
      throw new Error(`${template} declares tenant, but is not an operators' route about one organization`)
    if (urgency === 'export' && expensive !== true)
      throw new Error(`${template} is an export, which must be declared expensive`)
    if (bulk) options.bodyLimit = limits.bulkBodyLimitBytes
    if (takesInput) options.bodyLimit = Math.max(limits.bodyLimitBytes, limits.inputBodyLimitBytes)
    const described = (options.schema as { params?: { properties?: object } } | undefined)?.params?.properties ?? {}
    for (const name of Array.from(template.matchAll(/\{(\w+)\}/g), ([, inner = '']) => inner)) {
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

export function attachDeclarations(app: App) {
  app.decorateRequest('route')
  app.addHook('onRequest', (request, _reply, done) => {
    request.route = request.routeOptions.config
    done()
  })
}
