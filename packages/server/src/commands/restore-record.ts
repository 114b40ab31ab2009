import { auditKeyring, ensureAuditPartitions, recordRestore } from '../access/audit/audit.ts'
import type { Config } from '../config.ts'
import { CommandRefused } from '../platform/infra/command-refused.ts'
import type { Log } from '../platform/infra/log.ts'
import { openPlatform } from '../platform/infra/platform.ts'

const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/

/** Records in every audit chain that the database was restored to a moment, and prints in how many as one line of JSON. */
export async function runRestoreRecord(config: Config, log: Log, text: string) {
  const moment = new Date(text)
  if (!momentPattern.test(text) || Number.isNaN(moment.getTime()))
    throw new CommandRefused(`${text} is not a time. Write it with its time zone, as 2027-01-01T00:00:00Z.`)
  const platform = await openPlatform(config, 'record-restore', log)
  try {
    if (moment > platform.clock.now()) throw new CommandRefused(`${text} has not come yet.`)
    await ensureAuditPartitions(platform.sql, platform.clock.now())
    const chains = await recordRestore(platform.sql, auditKeyring(config.masterKeys()), moment)
    console.log(JSON.stringify({ restored_to: moment.toISOString(), chains }))
  } finally {
    await platform.close()
  }
}
