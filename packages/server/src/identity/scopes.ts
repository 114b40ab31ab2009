/** Every scope a key can have; fixed when it is minted. A route names one of these. */
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
  // To record what has run although no limit allows it.
  'runs:import',
  // To end, extend, release or settle what another key made.
  'runs:manage',
]
export const operatorScopes: readonly string[] = ['admin:read', 'admin:write']
