/** The settings that defend an organization against its own callers. */
export interface Settings {
  readonly trust: Readonly<Record<string, unknown>>
  readonly prices: Readonly<Record<string, unknown>>
  readonly isPinned: boolean
  readonly hasKeyBudget: boolean
  /** Role and scopes of the caller's key. */
  readonly role: string
  readonly scopes: readonly string[]
  /** Whether a day passes in the end, so that every lease is over. */
  readonly endsLate: boolean
}

/** What the caller's key may spend, in nano-dollars. */
export const keyLimitNano = 1_000_000_000

/** The model and the department whose spend is counted by budgets of their own. */
export const countedDepartment = 'research'
export const countedModel = 'gpt-4o'

export const agentScopes = ['edge:decide', 'runs:write', 'runs:read', 'limits:read']
const free = { model: 'llama-local', input_usd_per_million: '0', output_usd_per_million: '0' }

/** The strictest settings: what nobody reports is charged when its lease ends. */
export const strict: Settings = {
  trust: {
    reported_cost: 'ignore',
    reported_usage: 'raise_only',
    release: 'refuse',
    edge_expiry: 'charge',
    over_limit_reports: 'book',
  },
  prices: { prices: [free], unpriced: 'refuse' },
  isPinned: true,
  hasKeyBudget: true,
  role: 'service',
  scopes: agentScopes,
  endsLate: true,
}

/** Settings with which what nobody reports stays held for longer than the search lasts. */
export const patient: Settings = {
  ...strict,
  trust: { ...strict.trust, edge_expiry: 'release', min_lease_seconds: 86_400 },
  endsLate: false,
}
