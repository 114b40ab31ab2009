import { ApiError } from '../../contract/errors.ts'
import { includesRole, type Role, type RouteDeclaration } from '../../contract/routes.ts'
import { operatorsOrgId, parseId } from '../../values/id.ts'
import { present } from '../../values/present.ts'

import type { Caller } from './callers.ts'
import { isPinned } from './pins.ts'

const adminPath = '/v1/admin/'
const orgPath = '/v1/orgs/{id}'

interface Request {
  readonly method: string
  readonly template: string
  readonly params: { readonly id?: string; readonly org_id?: string }
  readonly declaration: RouteDeclaration
}

/**
 * Authorizes a caller for a route, in the contract's order: the tenant first, so that another tenant's resources look as if
 * they did not exist; then role, scope and pins. A support grant has its own scope in place of role and scope.
 */
export function authorize(caller: Caller, request: Request) {
  const { template, params, declaration } = request
  const isAdminRoute = template.startsWith(adminPath)
  const orgInPath = template.startsWith(orgPath) ? params.id : isAdminRoute ? params.org_id : undefined
  const isOperator = caller.kind === 'key' && caller.role === 'operator'

  if (isOperator) {
    // The operators' own organization is not a tenant: nothing can be done to it through a path.
    if (orgInPath !== undefined && (!isAdminRoute || parseId('org', orgInPath) === operatorsOrgId))
      throw new ApiError('not_found')
    // Operators may use admin routes only. Where the path names no tenant, there is nothing to hide from them.
    if (!isAdminRoute && declaration.anyKey !== true) throw new ApiError('forbidden')
  } else if (orgInPath !== undefined && parseId('org', orgInPath) !== caller.orgId) {
    throw new ApiError('not_found')
  }
  if (declaration.anyKey === true) return

  if (caller.kind === 'support') return authorizeSupport(caller, request)
  const { role, scope } = isOperator ? declaration : (declaration.tenant ?? declaration)
  if (!isOperator && !includesRole(caller.role, role!)) throw new ApiError('forbidden')
  if (!caller.scopes.has(scope!) && declaration.orScopes?.some((each) => caller.scopes.has(each)) !== true)
    throw new ApiError('missing_scope', { required: scope! })
  if (declaration.pinned === undefined && isPinned(caller))
    throw new ApiError('forbidden', {}, { message: 'This key is pinned, and this operation extends beyond its pins.' })
}

const billing = new Set(['limits', 'plans', 'prices', 'ledger', 'usage'])
/**
 * Resources beyond the scope `configuration`: keys, grants and people outlive a grant, the data plane spends the organization's money,
 * and its benchmark membership is its own decision.
 */
const excludedResources = new Set([
  'keys:read',
  'keys:write',
  'members:read',
  'members:write',
  'sso:read',
  'sso:write',
  'support:read',
  'support:write',
  'edge:decide',
  'runs:write',
  'runs:import',
  'runs:manage',
  'benchmarks:write',
])
/** Routes beyond the scope `configuration`: they return a secret, or everything at once; where its data may go is an organization's own decision. */
const excludedRoutes = ['/audit-log/export', '/signing/rotate', '/residency']

const grantCovers: Record<
  NonNullable<Caller['grantScope']>,
  (request: Pick<Request, 'method' | 'template'>, scope: string) => boolean
> = {
  read: ({ method }) => method === 'GET' || method === 'HEAD',
  billing: (_request, scope) => billing.has(scope.split(':')[0]!),
  configuration: ({ template }, scope) =>
    !excludedResources.has(scope) && !excludedRoutes.some((end) => template.endsWith(end)),
}

/** Scopes whose routes respect pins, most of them; others are beyond a pinned key, but for the decision of approvals. */
const pinnedScopes = new Set([
  'orgs:read',
  'keys:read',
  'keys:write',
  'limits:read',
  'policies:read',
  'routing:read',
  'runs:read',
  'usage:read',
])

/** True when a caller has a scope and a role, as far as that can be told without a route. For what is offered: `authorize` decides. */
export function hasScopeAndRole(caller: Caller, scope: string, role: Role): boolean {
  if (caller.kind !== 'support')
    return caller.scopes.has(scope) && includesRole(caller.role, role) && (!isPinned(caller) || pinnedScopes.has(scope))
  const request = { method: scope.endsWith(':read') ? 'GET' : 'POST', template: '' }
  return grantCovers[present(caller.grantScope)](request, scope)
}

function authorizeSupport(caller: Caller, request: Request) {
  const scope = present(caller.grantScope)
  const isAdmin = request.template.startsWith(adminPath)
  if (!isAdmin && grantCovers[scope](request, request.declaration.scope ?? '')) return
  throw new ApiError('support_scope_denied', {
    reason: `The grant's scope is "${scope}"; this operation is outside it.`,
    scope,
    method: request.method,
  })
}
