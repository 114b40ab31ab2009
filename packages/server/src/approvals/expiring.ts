import { auditKeyring, recordAll } from '../audit/audit.ts'
import { emit } from '../events/events.ts'
import type { Job } from '../infra/jobs.ts'
import type { Platform } from '../infra/platform.ts'
import { expireOverdue, orgsWithOverdue } from './queries.ts'
import { requestData } from './views.ts'

const atOnce = 200

/** Ends requests that nobody decided on in time, and grants whose time is over. Neither is honoured before the job comes, either. */
export async function expireApprovals({ sql, config }: Pick<Platform, 'sql' | 'config'>, signal?: AbortSignal) {
  const keyring = auditKeyring(config.masterKeys())
  for (;;) {
    signal?.throwIfAborted()
    const orgIds = await orgsWithOverdue(sql, atOnce)
    let ended = 0
    for (const orgId of orgIds)
      ended += await sql.asOrgs([orgId], async (tx) => {
        const rows = await expireOverdue(tx, orgId, atOnce)
        const told = rows.map(requestData)
        await emit(
          tx,
          orgId,
          told.map((data) => ({ kind: 'approval.expired', subject: data.approval_id, data })),
        )
        await recordAll(
          tx,
          keyring,
          orgId,
          told.map((data) => ({
            actor: { kind: 'system', id: 'expire-approvals', role: 'worker' },
            action: 'approval.expired',
            target: { kind: 'approval', id: data.approval_id },
            after: data,
            address: null,
            traceId: '',
          })),
        )
        return rows.length
      })
    if (ended === 0) return
  }
}

export const expireApprovalsJob = (platform: Platform): Job => ({
  name: 'expire-approvals',
  schedule: '* * * * *',
  run: (_payload, signal) => expireApprovals(platform, signal),
})
