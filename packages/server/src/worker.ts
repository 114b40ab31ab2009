import fastify from 'fastify'
import { expireApprovalsJob } from './approvals/approvals.ts'
import { exportAuditHeadsJob, maintainAuditPartitionsJob } from './audit/audit.ts'
import { publishBenchmarksJob } from './benchmarks/benchmarks.ts'
import { protectResponses } from './contract/protection.ts'
import { sweepExpiredHolds } from './decisions/decisions.ts'
import { deprecations } from './deprecations/registry.ts'
import { announceDeprecationsJob } from './events/events.ts'
import { maintainIdempotencyPartitionsJob } from './idempotency/idempotency.ts'
import { type Job, startJobs } from './infra/jobs.ts'
import { createLifecycle, stopWithin } from './infra/lifecycle.ts'
import type { Platform } from './infra/platform.ts'
import { openLanes } from './lanes/lanes.ts'
import { ensureLedgerPartitions, maintainLedgerPartitionsJob, verifyLedgersJob } from './ledger/ledger.ts'
import { countMasterKeyUsesJob } from './master-keys/master-keys.ts'
import { deleteDeadNodesJob, joinWorkers } from './nodes/nodes.ts'
import { policyPartitionsJob } from './policies/policies.ts'
import { probes, serveMetrics } from './probes/probes.ts'
import { checkRuns } from './reconciliation/reconciliation.ts'
import { maintainRunPartitionsJob, pruneChainsJob, pruneRowsJob } from './retention/retention.ts'
import { expiredEvalsJob } from './routing/routing.ts'
import { ensureRunPartitions } from './run-log/run-log.ts'
import { closeGrantsJob } from './support/support.ts'
import { foldOldUsageJob, startFolding } from './usage/usage.ts'
import {
  endSubscriptionsOfGrant,
  ensureRetainedPartitions,
  startWebhookDelivery,
  webhookPartitionsJob,
} from './webhooks/webhooks.ts'

/** The scheduled jobs of the worker. */
const createJobs = (platform: Platform): Job[] => [
  deleteDeadNodesJob(platform),
  maintainIdempotencyPartitionsJob(platform),
  maintainAuditPartitionsJob(platform),
  exportAuditHeadsJob(platform),
  maintainLedgerPartitionsJob(platform),
  verifyLedgersJob(platform, checkRuns(platform.sql, platform.clock)),
  countMasterKeyUsesJob(platform),
  maintainRunPartitionsJob(platform),
  pruneChainsJob(platform),
  pruneRowsJob(platform),
  foldOldUsageJob(platform),
  webhookPartitionsJob(platform),
  announceDeprecationsJob(platform, deprecations),
  policyPartitionsJob(platform),
  expireApprovalsJob(platform),
  closeGrantsJob(platform, endSubscriptionsOfGrant),
  expiredEvalsJob(platform),
  publishBenchmarksJob(platform),
]

/** Runs the worker until it is asked to stop, then finishes the jobs that it has begun. */
export async function runWorker(platform: Platform) {
  const { config, log, sql, metrics, tracing } = platform
  const lifecycle = createLifecycle(log)
  await ensureLedgerPartitions(sql, platform.clock.now())
  await ensureRunPartitions(sql, platform.clock.now())
  await ensureRetainedPartitions(sql, platform.clock.now())
  const scheduledJobs = createJobs(platform)
  const jobs = await startJobs({
    jobs: scheduledJobs,
    sql,
    log,
    metrics,
    tracing,
    concurrency: config.workerConcurrency,
  })
  const membership = await joinWorkers(platform, jobs.lockers)
  const lanes = openLanes(platform)
  await lanes.open()
  const sweeper = sweepExpiredHolds(platform, lanes)
  const folder = startFolding(platform)
  const webhooks = startWebhookDelivery(platform, deprecations)

  const server = fastify({ forceCloseConnections: true })
  protectResponses(server)
  probes(server, platform, lifecycle)
  await server.listen({ host: config.host, port: config.port })
  const metricsServer = await serveMetrics(platform, lifecycle)
  log.info({ jobs: scheduledJobs.map(({ name }) => name) }, 'working')

  log.info({ signal: await lifecycle.stopRequested }, 'asked to stop')
  stopWithin(config.stopTimeoutSeconds, log)
  await lifecycle.drain(0)
  await jobs.stop()
  await sweeper.close()
  await folder.close()
  await webhooks.close()
  await lanes.close()
  await membership.leave()
  await server.close()
  await metricsServer.close()
  await platform.close()
  log.info('stopped')
}
