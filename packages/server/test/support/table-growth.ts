/**
 * Every table of the schema and what keeps it from growing for ever. Partitions of a table are the table. A new table needs a
 * line here, and one in the guide to operating.
 */

export type Growth =
  /** Rows are deleted one by one by the job `prune-rows`. The two statements make a row that is over and one that is not. */
  | { readonly how: 'pruned'; readonly after: string; readonly over: string; readonly kept: string }
  /** Whole partitions are dropped by a job of this name, so many days after they began. */
  | {
      readonly how: 'partitions'
      readonly job: string
      readonly days: number
      readonly by: 'date' | 'timestamp' | 'uuid'
    }
  /** Rows are deleted by another job, whose own test proves it. */
  | { readonly how: 'job'; readonly job: string; readonly test: string }
  /** Rows are what waits for something, and go when it has happened. */
  | { readonly how: 'waiting'; readonly until: string }
  /** The number of rows follows from something that does not grow by itself. */
  | { readonly how: 'bounded'; readonly by: string }
  /** Rows stay, for a reason. */
  | { readonly how: 'on purpose'; readonly because: string }

const pruned = (after: string, over: string, kept: string): Growth => ({ how: 'pruned', after, over, kept })
const bounded = (by: string): Growth => ({ how: 'bounded', by })
const waiting = (until: string): Growth => ({ how: 'waiting', until })
const onPurpose = (because: string): Growth => ({ how: 'on purpose', because })
const partitions = (job: string, days: number, by: 'date' | 'timestamp' | 'uuid'): Growth => ({
  how: 'partitions',
  job,
  days,
  by,
})
const job = (name: string, test: string): Growth => ({ how: 'job', job: name, test })

const onePerOrg = bounded('one row per organization')
const settings = bounded('what an organization has set, by requests that are limited in number')

/** Of the following, $1 is an organization. */
const days = (count: number) => `clock_timestamp() - interval '${count} days'`
const utcDay = (count: number) => `(clock_timestamp() at time zone 'UTC')::date - ${count}`
const digest = 'sha256(uuid_send(gen_random_uuid()))'
const deprecatedCall = (day: string) =>
  `insert into deprecated_calls values ($1, ${day}, 'GET', '/v1/x', gen_random_uuid(), 'key', 1, ${day})`
const reconciliation = (createdAt: string) =>
  `insert into reconciliations (org_id, id, created_at, created_by, summary, differences)
   values ($1, gen_random_uuid(), ${createdAt}, 'key_x', '{}', '{}')`
const counters =
  'runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs'
const zeros = '1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0'
const usageDay = (at: string) =>
  `insert into usage_days (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, ${counters})
   values ($1, ${at}, gen_random_uuid()::text, '', '', '', '', ${zeros})`
const customerDay = (at: string) =>
  `insert into usage_customer_days (org_id, day, customer_id, ${counters}) values ($1, ${at}, gen_random_uuid()::text, ${zeros})`
const allowance = (key: string, endedAt: string) =>
  `insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, period_start, period_end, last_seq)
   values ($1, ${key}, gen_random_uuid(), 'budget', '', 'usd', 'x', ${endedAt} - interval '1 day', ${endedAt}, 0)`
const threshold = (endedAt: string) => `
  with a as (${allowance('gen_random_uuid()', endedAt)} returning key)
  insert into threshold_events (org_id, key, threshold, at) select $1, key, 80, ${days(401)} from a`
const evaluation = (suite: string, createdAt: string, measuredAt: string) =>
  `insert into eval_results (org_id, id, suite, model, score, samples, measured_at, created_at)
   values ($1, gen_random_uuid(), ${suite}, 'm', 1, 1, ${measuredAt}, ${createdAt})`
const approval = (status: string, at: string) =>
  `insert into approvals (org_id, id, status, rule_id, rule_version, rule_name, reason, fingerprint, attempted, attempt, estimated_nano,
                          requested_by, expires_at, updated_at)
   values ($1, gen_random_uuid(), '${status}', gen_random_uuid(), 1, '', '', '', '', '{}', 0, gen_random_uuid(), ${at}, ${at})`
const proposal = (at: string) =>
  `insert into proposals (org_id, id, status, kind, budget_name, wanted, reason, fingerprint, requested_by, expires_at, updated_at)
   values ($1, gen_random_uuid(), 'pending', 'budget', '', '{}', '', '', gen_random_uuid(), ${at}, ${at})`
const pack = (voidedAt: string) =>
  `insert into packs (org_id, owner, id, name, amount, voided_at) values ($1, 'c', gen_random_uuid(), '', 1, ${voidedAt})`
const limit = (endedAt: string) =>
  `insert into limits (org_id, id, kind, name, scope_kind, unit, period, timezone, enforcement, ended_at)
   values ($1, gen_random_uuid(), 'budget', '', 'org', 'usd', 'day', 'UTC', 'block', ${endedAt})`
const grant = (expiresAt: string) =>
  `insert into support_grants (org_id, id, operator_key_id, scope, reason, mac, mac_key_id, expires_at)
   values ($1, gen_random_uuid(), gen_random_uuid(), 'read', '', '', '', ${expiresAt})`
const session = (expiresAt: string) =>
  `insert into sessions (org_id, id, key_id, digest, address, user_agent, idle_seconds, expires_at)
   values ($1, gen_random_uuid(), gen_random_uuid(), decode(repeat('00', 32), 'hex'), '', '', 60, ${expiresAt})`
const link = (expiresAt: string) =>
  `insert into sign_in_links (org_id, id, key_id, digest, expires_at)
   values ($1, gen_random_uuid(), gen_random_uuid(), decode(repeat('00', 32), 'hex'), ${expiresAt})`
const assistantSession = (seenOn: string) =>
  `insert into telemetry_sessions (org_id, lineage_id, session, seen_on)
   values ($1, gen_random_uuid(), '', ${seenOn})`
const point = (touchedAt: string) =>
  `insert into telemetry_points (org_id, lineage_id, point, session, kind, call, value, started_at, ended_at, touched_at)
   values ($1, gen_random_uuid(), '', '', 'input', '{}', 1, now(), now(), ${touchedAt})`
const member = (removedAt: string) =>
  `insert into memberships (org_id, id, person_id, email, email_key, name, role, removed_at)
   values ($1, gen_random_uuid(), gen_random_uuid(), 'a@b.example', gen_random_uuid()::text, '', 'viewer', ${removedAt})`
const scimToken = (revokedAt: string) =>
  `insert into scim_tokens (org_id, id, name, digest, revoked_at)
   values ($1, gen_random_uuid(), 'x', decode(repeat('00', 32), 'hex'), ${revokedAt})`
const mailAddress = (createdAt: string, confirmedAt: string) =>
  `insert into mail_addresses (org_id, address, created_at, confirmed_at)
   values ($1, gen_random_uuid()::text, ${createdAt}, ${confirmedAt})`
/** Of the following, rows belong to the Slack app of the organization, which may be there. */
const slackApp = `
  with app as (
    insert into slack_apps (org_id, channel, enabled, sealed_signing_secret, signing_secret_set_at, keepers, sealed_bot_token, bot_token_set_at)
    values ($1, 'C', false, '', now(), '{}', '', now()) on conflict (org_id) do update set enabled = false returning org_id)`
const slackMessage = (updatedAt: string) => `${slackApp}
  insert into slack_messages (org_id, approval_id, updated_at) select org_id, gen_random_uuid(), ${updatedAt} from app`
const slackRequest = (takenAt: string) => `${slackApp}
  insert into slack_requests (org_id, digest, taken_at) select org_id, ${digest}, ${takenAt} from app`
const slackOffer = (expiresAt: string) => `${slackApp}
  insert into slack_link_offers (org_id, digest, slack_team_id, slack_user_id, slack_user_name, email_key, expires_at)
  select org_id, ${digest}, 'T', gen_random_uuid()::text, '', '', ${expiresAt} from app`
/** Of the following, rows belong to people; those of a person without a membership are over. */
const ofNobody = 'with m as (select gen_random_uuid() as person_id where $1::uuid is not null)'
const ofMember = `with m as (${member('null')} returning person_id)`
const passkey = (owner: string) => `${owner}
  insert into passkeys (id, person_id, credential_id, public_key, counter, is_backup_eligible, is_backed_up, name)
  select gen_random_uuid(), person_id, uuid_send(gen_random_uuid()), '', 0, false, false, 'x' from m`
const recoveryCode = (owner: string) =>
  `${owner} insert into recovery_codes (person_id, digest) select person_id, ${digest} from m`
const challenge = (expiresAt: string) =>
  `insert into passkey_challenges (digest, expires_at) select ${digest}, ${expiresAt} where $1::uuid is not null`
const pending = (createdAt: string) =>
  `insert into webhook_pending (org_id, subscription_id, id, event_id, kind, subject, trigger, ordered, next_attempt_at, created_at)
   values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'x', '', 'event', false, now(), ${createdAt})`
const replay = (finishedAt: string) => `
  with subscription as (
    insert into webhook_subscriptions (org_id, id, url, description, events, ordered, enabled)
    values ($1, gen_random_uuid(), 'https://example.com', '', '{}', false, true) returning id)
  insert into webhook_replays (org_id, id, subscription_id, kinds, after_id, before_id, finished_at)
  select $1, gen_random_uuid(), id, '{}', gen_random_uuid(), gen_random_uuid(), ${finishedAt} from subscription`
const expiry = (evalId: string) => `
  with route as (
    insert into routes (org_id, id, name, definition) values ($1, gen_random_uuid(), gen_random_uuid()::text, '{}') returning id)
  insert into eval_expiries (org_id, route_id, eval_id) select $1, route.id, ${evalId} from route`

const ssoConnection = `
  insert into sso_connections (org_id, id, kind, name, enabled, jit, role_rules, settings)
  values ($1, gen_random_uuid(), 'oidc', '', true, false, '[]', '{}') returning id`
const ssoAnswer = (expiresAt: string) => `
  with connection as (${ssoConnection})
  insert into sso_answers (org_id, connection_id, state_digest, expires_at)
  select $1, id, sha256(''), ${expiresAt} from connection`
const ssoLogout = (expiresAt: string) => `
  with connection as (${ssoConnection})
  insert into sso_logouts (org_id, connection_id, digest, expires_at)
  select $1, id, sha256(''), ${expiresAt} from connection`
const newMember = '(select id from member)'
const ssoIdentity = (memberId: string) => `
  with connection as (${ssoConnection}), member as (
    insert into memberships (org_id, id, person_id, email, email_key, name, role)
    values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid()::text, gen_random_uuid()::text, '', 'viewer') returning id)
  insert into sso_identities (org_id, connection_id, subject, member_id)
  select $1, id, 'subject', ${memberId} from connection`

export const tableGrowth: Readonly<Record<string, Growth>> = {
  org_moves: bounded('one row per organization that has moved or arrived'),
  org_move_changes: waiting('the move has copied the change, or was given up'),
  org_move_sums: bounded('one row per table and organization on its way'),
  moved_ids: onPurpose('keys of organizations that have left are led to their new home'),
  access_changes: job('forget-dead-nodes', 'platform/table-growth.test.ts'),
  access_epoch: bounded('one row'),
  allowances: pruned(
    '400 days after the end of their period',
    allowance('gen_random_uuid()', days(401)),
    allowance('gen_random_uuid()', days(399)),
  ),
  api_keys: onPurpose(
    'a revoked key is answered with 410 for ever, and runs and the audit log name keys by id; about 0.5 kB each',
  ),
  approvals: pruned('400 days after they have ended', approval('denied', days(401)), approval('pending', days(401))),
  audit_heads: onePerOrg,
  audit_keys: bounded('one row per master key that was ever retired'),
  audit_log: onPurpose(
    'the record is evidence, and each entry proves the one before it; about 1 kB each, denials folded by minute',
  ),
  benchmark_cohorts: bounded('what operators have defined'),
  benchmark_members: bounded('one row per organization and cohort'),
  benchmark_periods: onPurpose('what was published is never taken back; one row per cohort and period'),
  benchmark_results: onPurpose('the same; one row per cohort, period and metric'),
  benchmark_set_orgs: onPurpose(
    'anonymity rests on comparing every new set with all before it; one row per member and set',
  ),
  benchmark_sets: onPurpose('the same; at most one row per cohort, period and metric'),
  chain_limits: settings,
  chains: job('prune-chains', 'records/retention.test.ts'),
  content_safety: onePerOrg,
  customer_limits: settings,
  decision_records: partitions('keep-ledger-partitions', 8, 'uuid'),
  deprecated_calls: pruned('90 days', deprecatedCall(utcDay(91)), deprecatedCall(utcDay(90))),
  deprecation_announcements: bounded('one row per organization and deprecation'),
  eval_expiries: pruned(
    'with the result that they name',
    expiry('gen_random_uuid()'),
    `
    with latest as (${evaluation("'told'", days(1), days(1))} returning id)
    ${expiry('latest.id')
      .replace(/^\s*with/, ', ')
      .replace('from route', 'from route, latest')}`,
  ),
  eval_results: pruned(
    '400 days, except the latest of a suite and model',
    `
    with latest as (${evaluation("'suite'", days(1), days(1))}) ${evaluation("'suite'", days(401), days(401))}`,
    evaluation("'unique'", days(401), days(401)),
  ),
  event_opt_ins: bounded('one row per organization and kind of event'),
  events: partitions('keep-webhook-partitions', 31, 'uuid'),
  holds: partitions('keep-ledger-partitions', 8, 'uuid'),
  idempotency_keys: partitions('keep-idempotency-partitions', 2, 'date'),
  key_reporting: pruned(
    '400 days',
    `insert into key_reporting values ($1, ${utcDay(401)}, gen_random_uuid(), 1, 1, 0, 0, 0, 0, 0, 0, 0)`,
    `insert into key_reporting values ($1, ${utcDay(400)}, gen_random_uuid(), 1, 1, 0, 0, 0, 0, 0, 0, 0)`,
  ),
  kept_days: bounded('the schema itself'),
  ledger_batches: partitions('keep-ledger-partitions', 35, 'timestamp'),
  ledger_checks: onePerOrg,
  limit_refusals: pruned(
    '400 days after the last of them',
    `insert into limit_refusals values ($1, gen_random_uuid(), 1, ${days(401)})`,
    `insert into limit_refusals values ($1, gen_random_uuid(), 1, ${days(399)})`,
  ),
  foreign_keys: bounded('100,000 of an organization'),
  freezes: settings,
  reconciliations: pruned('800 days', reconciliation(days(801)), reconciliation(days(799))),
  trust_settings: settings,
  dimension_settings: settings,
  limits: pruned('400 days after they were deleted', limit(days(401)), limit(days(399))),
  movement_rows: partitions('keep-ledger-partitions', 35, 'timestamp'),
  nodes: job('forget-dead-nodes', 'platform/table-growth.test.ts'),
  org_ledgers: onePerOrg,
  org_rate_limits: onePerOrg,
  orgs: bounded('what operators have made'),
  outbox: waiting('events have become deliveries'),
  packs: pruned('400 days after they were voided or have expired', pack(days(401)), pack(days(399))),
  policy_matches: partitions('keep-policy-partitions', 91, 'timestamp'),
  policy_rules: settings,
  policy_sets: onePerOrg,
  price_settings: onePerOrg,
  proposals: pruned('400 days after their last change', proposal(days(401)), proposal(days(399))),
  prices: settings,
  pruned_rows: bounded('the schema itself'),
  rate_limit_policies: settings,
  refusal_days: pruned(
    '31 days',
    `insert into refusal_days values ($1, ${utcDay(32)}, 1)`,
    `insert into refusal_days values ($1, ${utcDay(31)}, 1)`,
  ),
  refusals: partitions('keep-ledger-partitions', 31, 'uuid'),
  refusal_counts: pruned(
    '400 days',
    `insert into refusal_counts values ($1, ${utcDay(401)}, 'x', 1)`,
    `insert into refusal_counts values ($1, ${utcDay(400)}, 'x', 1)`,
  ),
  directory_roles: onePerOrg,
  directory_users: bounded('one row per membership, and no longer than it'),
  passkeys: pruned('with the last membership of their person', passkey(ofNobody), passkey(ofMember)),
  recovery_codes: pruned('with the last membership of their person', recoveryCode(ofNobody), recoveryCode(ofMember)),
  passkey_challenges: pruned('five minutes', challenge(days(1)), challenge(`${days(0)} + interval '1 minute'`)),
  mail_addresses: pruned('90 days, unless confirmed', mailAddress(days(91), 'null'), mailAddress(days(91), 'now()')),
  mail_uses: bounded('one row per subscription, and one per organization'),
  memberships: pruned('90 days after their end', member(days(91)), member(days(89))),
  otlp_mappings: onePerOrg,
  retention_policies: onePerOrg,
  routes: settings,
  routing_models: settings,
  run_keys: job('keep-run-partitions', 'records/retention.test.ts'),
  runs: job('keep-run-partitions', 'records/retention.test.ts'),
  schema_compatibility: bounded('one row per migration'),
  schema_migrations: bounded('one row per migration'),
  scim_group_members: bounded('20,000 members of each of 1,000 groups, and no longer than the member or the group'),
  scim_groups: bounded('1,000 groups of an organization'),
  scim_tokens: pruned('90 days after their end', scimToken(days(91)), scimToken(days(89))),
  session_policies: onePerOrg,
  slack_apps: onePerOrg,
  slack_link_offers: pruned('when they are over', slackOffer(days(1)), slackOffer(`${days(0)} + interval '1 minute'`)),
  slack_links: bounded('one row per member'),
  slack_messages: pruned('400 days after they last changed', slackMessage(days(401)), slackMessage(days(399))),
  slack_requests: pruned('an hour', slackRequest(days(1)), slackRequest(days(0))),
  sso_connections: settings,
  sso_domains: settings,
  sso_identities: pruned('when their member is forgotten', ssoIdentity('gen_random_uuid()'), ssoIdentity(newMember)),
  sso_logouts: pruned('when they are over', ssoLogout(days(1)), ssoLogout(`${days(0)} + interval '1 minute'`)),
  sso_answers: pruned('when they are over', ssoAnswer(days(1)), ssoAnswer(`${days(0)} + interval '1 minute'`)),
  sessions: pruned('30 days after their end', session(days(31)), session(days(29))),
  sign_in_links: pruned('when they are over', link(days(1)), link(`${days(0)} + interval '1 minute'`)),
  support_grants: pruned('400 days after their end', grant(days(401)), grant(days(399))),
  telemetry_points: pruned('15 days after they last grew', point(days(16)), point(days(14))),
  telemetry_sessions: pruned(
    '91 days after they were last seen',
    assistantSession(utcDay(92)),
    assistantSession(utcDay(90)),
  ),
  threshold_events: pruned(
    '400 days, and not before the period has ended',
    threshold(days(1)),
    threshold("'infinity'::timestamptz"),
  ),
  unpriced_models: pruned(
    '400 days after they were seen',
    `insert into unpriced_models values ($1, 'old', '', ${days(500)}, ${days(401)})`,
    `insert into unpriced_models values ($1, 'new', '', ${days(500)}, ${days(399)})`,
  ),
  usage_15m: job('fold-old-usage', 'records/usage.test.ts'),
  usage_customer_days: pruned('800 days', customerDay(utcDay(801)), customerDay(utcDay(800))),
  usage_days: pruned('ten years', usageDay(days(3_654)), usageDay(days(3_652))),
  usage_deltas: waiting('they are folded into rollups'),
  usage_hours: job('fold-old-usage', 'records/usage.test.ts'),
  usage_hour_values: job('fold-old-usage', 'records/usage.test.ts'),
  usage_dimension_values: pruned(
    '90 days after they were used',
    `insert into usage_dimension_values values ($1, 'model', 'old', ${utcDay(200)}, ${utcDay(91)})`,
    `insert into usage_dimension_values values ($1, 'model', 'new', ${utcDay(200)}, ${utcDay(90)})`,
  ),
  waiting_calls: waiting('the runs of their session have ended, a day at most'),
  webhook_deliveries: partitions('keep-webhook-partitions', 31, 'uuid'),
  webhook_digests: waiting('their interval closes'),
  webhook_org_secrets: onePerOrg,
  webhook_pending: pruned('32 days, and with their subscription', pending(days(33)), pending(days(31))),
  webhook_queues: bounded('one row per subscription'),
  webhook_replays: pruned('30 days after their end', replay(days(31)), replay(days(29))),
  webhook_subscriptions: settings,
}
