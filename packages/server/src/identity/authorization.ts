import { ApiError } from '../contract/errors.ts'
import type { Role, RouteDeclaration } from '../contract/routes.ts'
import { parseId } from '../values/id.ts'
import type { Caller } from './callers.ts'

/** How far a role reaches; a service key does a member's work. */
const ranks: Record<Exclude<Role, 'operator'>, number> = { viewer: 1, service: 2, member: 2, admin: 3, owner: 4 }

const adminPath = '/v1/admin/'
const orgPath = '/v1/orgs/{id}'

interface Request {
  readonly method: string
  readonly template: string
  readonly params: { readonly id?: string; readonly org_id?: string }
  readonly declaration: RouteDeclaration
}

/**
 * Whether a caller may use a route, in the contract's order: the tenant first, so that what belongs to another looks like
 * what does not exist; then role, then scope. A support grant has its own scope in place of both.
 */
export function authorize(caller: Caller, request: Request) {
  const { template, params, declaration } = request
  const isAdminRoute = template.startsWith(adminPath)
  const orgInPath = template.startsWith(orgPath) ? params.id : isAdminRoute ? params.org_id : undefined
  const isOperator = caller.kind === 'key' && caller.role === 'operator'

  if (isOperator) {
    // Operators act on the admin surface only; what support grants are for is not theirs by role.
    if (!isAdminRoute && declaration.anyKey !== true) throw new ApiError('not_found')
  } else if (orgInPath !== undefined && parseId('org', orgInPath) !== caller.orgId) {
    throw new ApiError('not_found')
  }
  if (declaration.anyKey === true) return

  if (caller.kind === 'support') return authorizeSupport(caller, request)
  const { role, scope } = isOperator ? declaration : (declaration.tenant ?? declaration)
  if (!isOperator && !reaches(caller.role, role!)) throw new ApiError('forbidden')
  if (!caller.scopes.has(scope!)) throw new ApiError('missing_scope', { required: scope! })
}

/** Whether one role may hand out another: never one above itself. */
export const outranks = (role: Role, other: Role) =>
  role === 'operator' ? other === 'operator' : other !== 'operator' && ranks[role] >= ranks[other]

function reaches(role: Role, needed: Role): boolean {
  if (role === 'operator' || needed === 'operator') return role === needed
  return ranks[role] >= ranks[needed]
}

const billing = new Set(['limits', 'plans', 'prices', 'ledger', 'usage'])
const beyondConfiguration = new Set(['keys', 'support'])

const grantCovers: Record<NonNullable<Caller['grantScope']>, (request: Request, resource: string) => boolean> = {
  read: ({ method }) => method === 'GET' || method === 'HEAD',
  billing: (_request, resource) => billing.has(resource),
  configuration: ({ template }, resource) =>
    !beyondConfiguration.has(resource) && !template.endsWith('/audit-log/export'),
}

function authorizeSupport(caller: Caller, request: Request) {
  const scope = caller.grantScope!
  const [resource] = (request.declaration.scope ?? ':').split(':')
  const isAdmin = request.template.startsWith(adminPath)
  if (!isAdmin && grantCovers[scope](request, resource!)) return
  throw new ApiError('support_scope_denied', {
    reason: `The grant's scope is "${scope}"; this operation is outside it.`,
    scope,
    method: request.method,
  })
}
