import { sql as raw } from 'kysely'
import type { Sql } from '../../platform/infra/sql.ts'

export interface UseRow {
  readonly kind:
    | 'api_keys'
    | 'support_grants'
    | 'webhook_secrets'
    | 'sso_secrets'
    | 'slack_secrets'
    | 'audit_chains'
    | 'audit_keys'
  readonly key_id: string
  readonly uses: bigint
  readonly never_used: bigint | null
  readonly last_used_at: Date | null
}

export const readUses = async ({ db }: Sql, newest: string, older: readonly string[]): Promise<UseRow[]> =>
  (await raw<UseRow>`select * from master_key_uses(${newest}, ${older}::text[]) order by key_id, kind`.execute(db)).rows

export interface UnusedKey {
  readonly org_id: string
  readonly id: string
}

export const findUnusedKeys = async ({ db }: Sql, keyIds: readonly string[], since: Date, most: number) =>
  (await raw<UnusedKey>`select * from unused_keys(${keyIds}::text[], ${since}, ${most})`.execute(db)).rows
