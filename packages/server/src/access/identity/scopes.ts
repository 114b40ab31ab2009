import { includesRole, type Role } from '../../contract/routes.ts'

/** Scopes that a key can have, fixed when it is minted. Each route names one of them. */
const resources = [
  'orgs',
  'keys',
  'members',
  'sso',
  'audit',
  'support',
  'limits',
  'runs',
  'usage',
  'policies',
  'routing',
  'webhooks',
  'benchmarks',
  'forecasts',
] as const

export const tenantScopes: readonly string[] = [
  ...resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
  'edge:decide',
  // Allows recording runs that no limit admitted.
  'runs:import',
  // Allows ending, extending, releasing or settling what another key made.
  'runs:manage',
]
export const operatorScopes: readonly string[] = ['admin:read', 'admin:write']

/** Scopes of the data plane. Only keys have them: what agents spend is bound by limits on keys. */
const dataPlane = new Set(['edge:decide', 'runs:write', 'runs:import'])
const personal = new Set(tenantScopes.filter((scope) => !dataPlane.has(scope)))
const readable = new Set(tenantScopes.filter((scope) => scope.endsWith(':read')))
const tenant = new Set(tenantScopes)

/** Returns the scopes of a person with a role. The roles that routes demand narrow them further. */
export const scopesOfPerson = (role: Role): ReadonlySet<string> => (role === 'viewer' ? readable : personal)

/** Returns the scopes that a person with a role may give to keys: an administrator makes the keys of the data plane too. */
export const scopesInGiftOf = (role: Role): ReadonlySet<string> =>
  includesRole(role, 'admin') ? tenant : scopesOfPerson(role)
