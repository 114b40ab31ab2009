import { sql as raw } from 'kysely'
import { type Caller, isPinned } from '../../access/identity/identity.ts'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { Approver, Rule, RuleEffect, RuleTarget } from './rule.ts'
import type { RuleListQuery } from './schema.ts'
import type { StoredAttempt } from './stored-attempt.ts'

const columns = [
  'id',
  'name',
  'effect',
  'target',
  'priority',
  'expression',
  'reason',
  'enabled',
  'shadow',
  raw<Approver>`approver`.as('approver'),
  'version',
  'created_at',
  'updated_at',
] as const

export interface RuleRow extends Rule {
  readonly approver: Approver
  readonly created_at: Date
  readonly updated_at: Date
}

export type RuleFields = Omit<Rule, 'id' | 'version'> & Pick<RuleRow, 'approver'>

type Row = Omit<RuleRow, 'effect' | 'target'> & { readonly effect: string; readonly target: string }
const ruleOf = <T extends Row>(row: T) => ({
  ...row,
  effect: row.effect as RuleEffect,
  target: row.target as RuleTarget,
})

/** Returns the rules in evaluation order. */
export async function orderedRules(tx: Tx, orgId: string): Promise<RuleRow[]> {
  const rows = await tx
    .selectFrom('policy_rules')
    .select(columns)
    .where('org_id', '=', orgId)
    .orderBy('priority')
    .orderBy('id')
    .execute()
  return rows.map(ruleOf)
}

export async function findRule(tx: Tx, orgId: string, id: string): Promise<RuleRow | undefined> {
  const row = await tx
    .selectFrom('policy_rules')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && ruleOf(row)
}

export async function listRules(
  tx: Tx,
  orgId: string,
  page: PageRequest<'priority' | 'created_at' | 'name'>,
  { effect, target, enabled, shadow }: RuleListQuery,
) {
  let query = tx
    .selectFrom('policy_rules')
    .select([...columns, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (effect !== undefined) query = query.where('effect', '=', effect)
  if (target !== undefined) query = query.where('target', '=', target)
  if (enabled !== undefined) query = query.where('enabled', '=', enabled)
  if (shadow !== undefined) query = query.where('shadow', '=', shadow)
  const rows = await keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
  return rows.map(ruleOf)
}

/** Locks the organization's rule set until the transaction ends. */
export async function lockSet(tx: Tx, orgId: string) {
  await tx
    .insertInto('policy_sets')
    .values({ org_id: orgId, version: 0n })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ version: raw`policy_sets.version` }))
    .execute()
}

/** Increments the version of a locked set, so that sets compiled from earlier versions are stale. */
export async function nextSetVersion(tx: Tx, orgId: string) {
  await tx.updateTable('policy_sets').set({ version: raw`version + 1` }).where('org_id', '=', orgId).execute()
}

export async function setVersion(tx: Tx, orgId: string): Promise<bigint> {
  const row = await tx.selectFrom('policy_sets').select('version').where('org_id', '=', orgId).executeTakeFirst()
  return row?.version ?? 0n
}

export async function insertRule(tx: Tx, orgId: string, id: string, fields: RuleFields): Promise<RuleRow> {
  const row = await tx
    .insertInto('policy_rules')
    .values({ org_id: orgId, id, ...fields })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return ruleOf(row)
}

export async function updateRule(tx: Tx, orgId: string, id: string, fields: RuleFields): Promise<RuleRow> {
  const row = await tx
    .updateTable('policy_rules')
    .set({ ...fields, version: raw`version + 1`, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return ruleOf(row)
}

export async function deleteRule(tx: Tx, orgId: string, id: string) {
  await tx.deleteFrom('policy_rules').where('org_id', '=', orgId).where('id', '=', id).execute()
}

export async function timezoneOf(tx: Tx, orgId: string): Promise<string> {
  const row = await tx.selectFrom('orgs').select('timezone').where('id', '=', orgId).executeTakeFirst()
  return row?.timezone ?? 'UTC'
}

export interface MatchRow {
  readonly org_id: string
  readonly minute: string
  readonly id: string
  readonly rule_id: string
  readonly rule_version: number
  readonly set_version: string
  readonly outcome: string
  readonly shadow: boolean
  readonly attempt_hash: string
  readonly attempt: StoredAttempt
  readonly count: number
}

/** Adds matches. Equal ones of a minute share a row, whichever process has seen them. */
export async function addMatches(tx: Tx, rows: readonly MatchRow[]) {
  await raw`
    insert into policy_matches (org_id, minute, id, rule_id, rule_version, set_version, outcome, shadow, attempt_hash, attempt, count)
    select org_id, minute, id, rule_id, rule_version, set_version, outcome, shadow, decode(attempt_hash, 'hex'), attempt, count
      from json_to_recordset(${JSON.stringify(rows)}) as m (org_id uuid, minute timestamptz, id uuid, rule_id uuid,
        rule_version integer, set_version bigint, outcome text, shadow boolean, attempt_hash text, attempt jsonb, count bigint)
     order by org_id, minute, rule_id, shadow, set_version, attempt_hash
    on conflict (org_id, minute, rule_id, shadow, set_version, attempt_hash)
      do update set count = policy_matches.count + excluded.count`.execute(tx)
}

export interface MatchFilters {
  readonly ruleId?: string | undefined
  readonly outcome?: string | undefined
  readonly shadow?: boolean | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly pins: Caller['pins']
}

function matchesOf(tx: Tx, orgId: string, filters: MatchFilters) {
  let query = tx.selectFrom('policy_matches').where('org_id', '=', orgId)
  if (filters.ruleId !== undefined) query = query.where('rule_id', '=', filters.ruleId)
  if (filters.outcome !== undefined) query = query.where('outcome', '=', filters.outcome)
  if (filters.shadow !== undefined) query = query.where('shadow', '=', filters.shadow)
  if (filters.from !== undefined) query = query.where('minute', '>=', filters.from)
  if (filters.to !== undefined) query = query.where('minute', '<', filters.to)
  return isPinned(filters) ? query.where(raw<boolean>`attempt @> ${JSON.stringify(filters.pins)}::jsonb`) : query
}

export function listMatches(tx: Tx, orgId: string, page: PageRequest<'minute'>, filters: MatchFilters) {
  const query = matchesOf(tx, orgId, filters).select([
    'id',
    'minute',
    'rule_id',
    'rule_version',
    'outcome',
    'shadow',
    'count',
    'attempt',
    raw<string>`minute::text`.as('sort_value'),
  ])
  return keysetPage(query, { sort: 'minute', id: 'id' }, page).execute()
}

/** Counts the matches of each rule by UTC day and outcome. */
export function countMatches(tx: Tx, orgId: string, filters: MatchFilters) {
  const day = raw<string>`(minute at time zone 'UTC')::date::text`
  return matchesOf(tx, orgId, filters)
    .select([day.as('day'), 'rule_id', 'outcome', 'shadow', raw<bigint>`sum(count)::bigint`.as('count')])
    .groupBy([day, 'rule_id', 'outcome', 'shadow'])
    .orderBy(day)
    .orderBy('rule_id')
    .orderBy('outcome')
    .orderBy('shadow')
    .execute()
}
