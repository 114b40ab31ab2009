import fastify from 'fastify'
import { exportAuditHeadsJob, maintainAuditPartitionsJob } from './access/audit/audit.ts'
import { announceDeprecationsJob } from './access/events/events.ts'
import { maintainIdempotencyPartitionsJob } from './access/idempotency/idempotency.ts'
import { countMasterKeyUsesJob } from './commands/master-keys/master-keys.ts'
import { deprecations } from './contract/deprecations/registry.ts'
import { probes, serveMetrics } from './contract/probes/probes.ts'
import { protectResponses } from './contract/protection.ts'
import { sweepExpiredHolds } from './decisions/decisions.ts'
import { openLanes } from './decisions/lanes/lanes.ts'
import { expireApprovalsJob } from './governance/approvals/approvals.ts'
import { policyPartitionsJob } from './governance/policies/policies.ts'
import { publishBenchmarksJob } from './insight/benchmarks/benchmarks.ts'
import { ensureLedgerPartitions, maintainLedgerPartitionsJob, verifyLedgersJob } from './money/ledger/ledger.ts'
import { watchReportingJob } from './money/reporting/reporting.ts'
import { checkDomainsJob } from './people/domains/domains.ts'
import { type Job, startJobs } from './platform/infra/jobs.ts'
import { createLifecycle, stopWithin } from './platform/infra/lifecycle.ts'
import type { Platform } from './platform/infra/platform.ts'
import { withStartPatience } from './platform/infra/start-patience.ts'
import { deleteDeadNodesJob, joinWorkers } from './platform/nodes/nodes.ts'
import { maintainRunPartitionsJob, pruneChainsJob, pruneRowsJob } from './records/retention/retention.ts'
import { ensureRunPartitions } from './records/run-log/run-log.ts'
import { foldOldUsageJob, startFolding } from './records/usage/usage.ts'
import { rescueMoves } from './regions/moves/moves.ts'
import { recordWaitingTelemetry } from './runs/otlp/otlp.ts'
import { checkRuns } from './runs/reconciliation/reconciliation.ts'
import { expiredEvalsJob } from './runs/routing/routing.ts'
import { followApprovals, startSlackMessages } from './slack/slack.ts'
import { closeGrantsJob } from './tenants/support/support.ts'
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
  watchReportingJob(platform),
  publishBenchmarksJob(platform),
  checkDomainsJob(platform),
]

/** Runs the worker until it is asked to stop, then finishes the jobs that it has begun. */
export async function runWorker(platform: Platform) {
  const { config, log, sql, metrics, tracing } = platform
  const lifecycle = createLifecycle(log)
  const patiently = <T>(step: () => Promise<T>) => withStartPatience(log, step)
  for (const ensurePartitions of [ensureLedgerPartitions, ensureRunPartitions, ensureRetainedPartitions])
    await patiently(() => ensurePartitions(sql, platform.clock.now()))
  const scheduledJobs = createJobs(platform)
  const jobs = await startJobs({
    jobs: scheduledJobs,
    sql,
    log,
    metrics,
    tracing,
    concurrency: config.workerConcurrency,
  })
  const membership = await patiently(() => joinWorkers(platform, jobs.lockers))
  const lanes = openLanes(platform)
  await patiently(() => lanes.open())
  const sweeper = sweepExpiredHolds(platform, lanes)
  const folder = startFolding(platform)
  const telemetry = recordWaitingTelemetry(platform, lanes)
  const webhooks = startWebhookDelivery(platform, deprecations, followApprovals)
  const slackMessages = startSlackMessages(platform)
  const rescuer = rescueMoves(platform)

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
  await telemetry.close()
  await webhooks.close()
  await slackMessages.close()
  await rescuer.close()
  await lanes.close()
  await membership.leave()
  await server.close()
  await metricsServer.close()
  await platform.close()
  log.info('stopped')
}
