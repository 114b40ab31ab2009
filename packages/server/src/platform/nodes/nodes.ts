import { newUuid } from '../../values/id.ts'
import type { Job } from '../infra/jobs.ts'
import type { Platform } from '../infra/platform.ts'
import { deleteAccessChanges, deleteDeadNodes, endLease, renewLease, unlockJobsOfDeadWorkers } from './queries.ts'

const leaseSeconds = 15
const renewEverySeconds = 5
const deleteAfterSeconds = 86_400

export { type AccessLease, acquireAccessLease, waitUntilAppliedEverywhere } from './access-lease.ts'
export { type Cache, createOrgCache } from './org-cache.ts'
export { listNodes, notifyAccessChange, recordAccessChange } from './queries.ts'

export interface WorkerMembership {
  readonly leave: () => Promise<void>
}

/** Registers a worker under a lease that it renews while it lives, and unlocks the jobs of dead workers. */
export async function joinWorkers(
  { sql, log, version }: Platform,
  jobLockers: () => string[],
): Promise<WorkerMembership> {
  const id = newUuid()

  async function renew() {
    await renewLease(sql, { id, role: 'worker', version, leaseSeconds, jobLockers: jobLockers() })
    const dead = await unlockJobsOfDeadWorkers(sql, leaseSeconds)
    if (dead.length > 0) log.warn({ workers: dead }, 'freed the jobs of workers that died')
  }

  await renew()
  let renewal = Promise.resolve()
  const timer = setInterval(() => {
    renewal = renewal
      .then(renew)
      .catch((error: unknown) => log.warn({ error }, 'the lease of this process was not renewed'))
  }, renewEverySeconds * 1_000)
  return {
    leave: async () => {
      clearInterval(timer)
      await renewal
      await endLease(sql, id).catch((error: unknown) =>
        log.warn({ error }, 'the lease of this process was not released'),
      )
    },
  }
}

/** Deletes the rows of processes that died without leaving. */
export const deleteDeadNodesJob = ({ sql, log }: Platform): Job => ({
  name: 'forget-dead-nodes',
  schedule: '17 * * * *',
  run: async () => {
    const forgotten = await deleteDeadNodes(sql, deleteAfterSeconds)
    await deleteAccessChanges(sql, deleteAfterSeconds)
    log.info({ forgotten: Number(forgotten) }, 'forgot dead nodes')
  },
})
