import { auditKeyring, recordOfJob } from '../../access/audit/audit.ts'
import { emit } from '../../access/events/events.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import type { Keyring } from '../../values/keyring.ts'
import { expireOverdue, orgsWithOverdue } from './expiry-queries.ts'
import { requestData } from './views.ts'

const batchSize = 200

/** Expires undecided requests and grants whose time is over. Neither is honoured after its expiry even before this job runs. */
export async function expireApprovals({ sql, config }: Pick<Platform, 'sql' | 'config'>, signal?: AbortSignal) {
  const keyring = auditKeyring(config.masterKeys())
  const failures: unknown[] = []
  const failed = new Set<string>()
  for (;;) {
    signal?.throwIfAborted()
    const orgIds = (await orgsWithOverdue(sql, batchSize)).filter((orgId) => !failed.has(orgId))
    let ended = 0
    for (const orgId of orgIds) {
      try {
        ended += await expireInOrg(sql, keyring, orgId)
      } catch (error) {
        // A failure in one organization must not delay the others.
        failed.add(orgId)
        failures.push(error)
      }
    }
    if (ended === 0) break
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} organizations could not be processed`)
}

const expireInOrg = (sql: Sql, keyring: Keyring, orgId: string) =>
  sql.asOrgs([orgId], async (tx) => {
    const expired = (await expireOverdue(tx, orgId, batchSize)).map(requestData)
    await emit(
      tx,
      orgId,
      expired.map((data) => ({ kind: 'approval.expired', subject: data.approval_id, data })),
    )
    await recordOfJob(
      tx,
      keyring,
      orgId,
      'expire-approvals',
      expired.map((data) => ({
        action: 'approval.expired',
        target: { kind: 'approval', id: data.approval_id },
        after: data,
      })),
    )
    return expired.length
  })

export const expireApprovalsJob = (platform: Platform): Job => ({
  name: 'expire-approvals',
  schedule: '* * * * *',
  run: (_payload, signal) => expireApprovals(platform, signal),
})
