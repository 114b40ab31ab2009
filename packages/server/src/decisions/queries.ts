import { sql as raw } from 'kysely'
import type { Tx } from '../infra/sql.ts'
import type { Explanation } from './schema.ts'

export interface ExplainedHoldRow {
  readonly id: string
  readonly state: 'open' | 'settled' | 'released' | 'expired'
  readonly held_at: Date
  readonly expires_at: Date
  readonly amount_nano: bigint
  readonly keys: string[]
  readonly amounts: string[]
  readonly inputs: Readonly<Record<string, unknown>>
  readonly charged_nano: bigint | null
  readonly overrun_nano: bigint | null
}

export async function findHold(tx: Tx, orgId: string, id: string): Promise<ExplainedHoldRow | undefined> {
  const { rows } = await raw<ExplainedHoldRow>`
    select id, state, held_at, expires_at, amount_nano, keys, amounts, inputs, charged_nano, overrun_nano
      from holds where org_id = ${orgId} and id = ${id}`.execute(tx)
  return rows[0]
}

export async function findRecord(tx: Tx, orgId: string, id: string): Promise<Explanation | undefined> {
  const { rows } = await raw<{ body: Explanation }>`
    select body from decision_records where org_id = ${orgId} and id = ${id}`.execute(tx)
  return rows[0]?.body
}

export async function insertRecords(tx: Tx, records: readonly { orgId: string; id: string; body: Explanation }[]) {
  const rows = records.map(({ orgId, id, body }) => ({ org_id: orgId, id, body }))
  await raw`insert into decision_records (org_id, id, body)
    select org_id, id, body from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, id uuid, body jsonb)
    on conflict do nothing`.execute(tx)
}

export interface RefusalCountRow {
  readonly org_id: string
  /** The UTC day as an ISO date. */
  readonly day: string
  readonly error_code: string
  readonly count: number
}

/** Adds to what was counted before, in the order of the key: two processes that add at once wait, and never for each other. */
export async function addRefusals(tx: Tx, rows: readonly RefusalCountRow[]) {
  await raw`insert into refusal_counts as c (org_id, day, error_code, count)
    select org_id, day, error_code, count
      from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, day date, error_code text, count bigint)
     order by org_id, day, error_code
    on conflict (org_id, day, error_code) do update set count = c.count + excluded.count`.execute(tx)
}
