/**
 * Rules by which the rows of each table change their cell. A table that is missing here fails a test, and a move does not begin.
 *
 * `ahead`: while the organization works, and again whatever changes meanwhile. `frozen`: as a whole, once nothing changes any more. `derived`:
 * not sent, because the target makes it of other rows; compared all the same. `never`: stays behind.
 */
export type CopyRule = 'ahead' | 'frozen' | 'derived' | { readonly never: string }

const ahead = [
  'allowances',
  'api_keys',
  'approvals',
  'audit_heads',
  'audit_log',
  'chain_limits',
  'chains',
  'content_safety',
  'customer_limits',
  'decision_records',
  'deprecated_calls',
  'deprecation_announcements',
  'dimension_settings',
  'directory_roles',
  'directory_users',
  'eval_expiries',
  'eval_results',
  'event_opt_ins',
  'events',
  'foreign_keys',
  'freezes',
  'holds',
  'idempotency_keys',
  'key_reporting',
  'ledger_batches',
  'ledger_checks',
  'limit_refusals',
  'limits',
  'mail_addresses',
  'mail_uses',
  'memberships',
  'movement_rows',
  'org_ledgers',
  'org_rate_limits',
  'orgs',
  'otlp_mappings',
  'packs',
  'policy_matches',
  'policy_rules',
  'policy_sets',
  'price_settings',
  'prices',
  'proposals',
  'rate_limit_policies',
  'reconciliations',
  'refusal_counts',
  'refusal_days',
  'refusals',
  'retention_policies',
  'routes',
  'routing_models',
  'run_keys',
  'runs',
  'scim_group_members',
  'scim_groups',
  'scim_tokens',
  'session_policies',
  'sessions',
  'sign_in_links',
  'slack_apps',
  'slack_link_offers',
  'slack_links',
  'slack_messages',
  'slack_requests',
  'sso_answers',
  'sso_connections',
  'sso_domains',
  'sso_identities',
  'sso_logouts',
  'support_grants',
  'telemetry_points',
  'telemetry_sessions',
  'threshold_events',
  'trust_settings',
  'unpriced_models',
  'usage_15m',
  'usage_customer_days',
  'usage_days',
  'usage_deltas',
  'usage_dimension_values',
  'waiting_calls',
  'webhook_deliveries',
  'webhook_digests',
  'webhook_org_secrets',
  'webhook_pending',
  'webhook_queues',
  'webhook_replays',
  'webhook_subscriptions',
] as const

const cohort = 'Cohorts belong to a cell: the organization joins one of its new home.'
const person =
  'It belongs to a person and to the address of a console, and the person may be a member of organizations that stay.'
const cell = 'It is of the cell, not of an organization.'

export const copyRules: Readonly<Record<string, CopyRule>> = {
  ...Object.fromEntries(ahead.map((table): [string, CopyRule] => [table, 'ahead'])),
  // Its rows get a place among the events of the target.
  outbox: 'frozen',
  usage_hours: 'derived',
  usage_hour_values: 'derived',
  benchmark_members: { never: cohort },
  benchmark_set_orgs: { never: cohort },
  benchmark_cohorts: { never: cell },
  benchmark_periods: { never: cell },
  benchmark_results: { never: cell },
  benchmark_sets: { never: cell },
  passkeys: { never: person },
  recovery_codes: { never: `${person} A code must not be good in two cells.` },
  passkey_challenges: { never: 'It ends within minutes.' },
  access_changes: { never: cell },
  access_epoch: { never: cell },
  audit_keys: { never: 'Cells share the master keys, of which they are made.' },
  kept_days: { never: cell },
  moved_ids: { never: cell },
  nodes: { never: cell },
  org_move_changes: { never: cell },
  org_move_sums: { never: cell },
  org_moves: { never: cell },
  pruned_rows: { never: cell },
  schema_compatibility: { never: cell },
  schema_migrations: { never: cell },
}

/** Rule of a table; one without a rule has no rows that may be moved. */
export function ruleOf(table: string): CopyRule {
  const rule = Object.hasOwn(copyRules, table) ? copyRules[table] : undefined
  if (rule === undefined) throw new Error(`no rule says how rows of ${table} change their cell`)
  return rule
}

/** A table whose rows belong to organizations. */
export interface MovedTable {
  readonly name: string
  readonly rule: CopyRule
  /** Column that names the organization. */
  readonly org: string
  /** Other columns of the primary key, with their types. */
  readonly keys: readonly { readonly name: string; readonly type: string }[]
}

export const isSent = ({ rule }: MovedTable): boolean => rule === 'ahead' || rule === 'frozen'
export const isCompared = ({ rule }: MovedTable): boolean => typeof rule === 'string'
