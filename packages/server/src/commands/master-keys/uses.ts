import { Gauge } from 'prom-client'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import type { MasterKeys } from '../../values/keyring.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { readUses, type UseRow } from './queries.ts'

/** Use of a master key: everything of one kind that would be lost without it. */
export interface KeyUse {
  readonly key_id: string
  readonly kind: UseRow['kind']
  readonly uses: number
  readonly never_used?: number
  readonly last_used_at?: string | null
}

export interface KeyUseReport {
  readonly newest: string
  readonly uses: readonly KeyUse[]
  /** Configured master keys that are no longer in use. */
  readonly removable: readonly string[]
  /** Master keys in use that are not configured. */
  readonly missing: readonly string[]
}

export async function reportUses(sql: Sql, masterKeys: MasterKeys): Promise<KeyUseReport> {
  const [newest, ...older] = masterKeys.map(({ id }) => id)
  const uses = (await readUses(sql, newest!, older)).map(useOf)
  const used = new Set(uses.map(({ key_id }) => key_id))
  return {
    newest: newest!,
    uses,
    removable: older.filter((id) => !used.has(id)),
    missing: [...used].filter((id) => id !== newest && !older.includes(id)),
  }
}

const useOf = ({ kind, key_id, uses, never_used, last_used_at }: UseRow): KeyUse => ({
  key_id,
  kind,
  uses: Number(uses),
  ...(kind === 'api_keys' && { never_used: Number(never_used), last_used_at: timestampOrNull(last_used_at) }),
})

/** Measures regularly what depends on each master key, so that an unfinished rotation is noticed. */
export function countMasterKeyUsesJob({ sql, config, metrics }: Platform): Job {
  const gauge = new Gauge({
    name: 'svc_master_key_uses',
    help: 'Number of items that depend on each master key, by kind; an old key at 0 can be removed from the configuration.',
    labelNames: ['key_id', 'kind'],
    registers: [metrics],
  })
  return {
    name: 'count-master-key-uses',
    schedule: '23 * * * *',
    run: async () => {
      const { uses } = await reportUses(sql, config.masterKeys())
      gauge.reset()
      for (const { id } of config.masterKeys()) gauge.set({ key_id: id, kind: 'api_keys' }, 0)
      for (const { key_id, kind, uses: count } of uses) gauge.set({ key_id, kind }, count)
    },
  }
}
