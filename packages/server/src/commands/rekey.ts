import { ensureAuditPartitions } from '../access/audit/audit.ts'
import type { Config } from '../config.ts'
import type { Log } from '../platform/infra/log.ts'
import { openPlatform } from '../platform/infra/platform.ts'
import { rekey, reportUses, revokeUnusedKeys } from './master-keys/master-keys.ts'

const day = /^--revoke-unused-since=(\d{4}-\d{2}-\d{2})$/

/** Re-encrypts everything that depends on old master keys with the newest one, or only reports it; prints one line of JSON. */
export async function runRekey(config: Config, log: Log, option: string | undefined) {
  const since = day.exec(option ?? '')?.[1]
  const platform = await openPlatform(config, 'rekey', log)
  try {
    await ensureAuditPartitions(platform.sql, platform.clock.now())
    const moved = option === undefined ? { moved: await rekey(platform) } : {}
    const revoked =
      since === undefined ? {} : { revoked: await revokeUnusedKeys(platform, new Date(`${since}T00:00:00Z`)) }
    const report = await reportUses(platform.sql, config.masterKeys())
    console.log(JSON.stringify({ ...moved, ...revoked, ...report }))
  } finally {
    await platform.close()
  }
}
