import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { SafetySettings } from './settings.ts'

export interface SafetyRow {
  /** The stored settings, possibly saved by another version of the server. */
  readonly settings: Partial<SafetySettings>
  readonly updated_at: Date
}

export async function findSafetySettings(tx: Tx, orgId: string): Promise<SafetyRow | undefined> {
  const { rows } = await raw<SafetyRow>`
    select settings, updated_at from content_safety where org_id = ${orgId}`.execute(tx)
  return rows[0]
}

export async function upsertSafetySettings(tx: Tx, orgId: string, settings: SafetySettings): Promise<SafetyRow> {
  const { rows } = await raw<SafetyRow>`
    insert into content_safety (org_id, settings) values (${orgId}, ${JSON.stringify(settings)}::jsonb)
    on conflict (org_id) do update set settings = excluded.settings, updated_at = clock_timestamp()
    returning settings, updated_at`.execute(tx)
  return one(rows)
}
