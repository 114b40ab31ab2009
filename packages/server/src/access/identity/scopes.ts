/** Scopes that a key can have, fixed when it is minted. Each route names one of them. */
const resources = [
  'orgs',
  'keys',
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
