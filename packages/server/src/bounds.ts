import { defaulted, setting } from './values/setting.ts'
import { integer } from './values/setting-parsers.ts'

/** Settings that bound how much of a process one organization may use. */
export const boundSettings = {
  bodyMemoryBytes: defaulted(
    setting(
      'SVC_BODY_MEMORY_BYTES',
      'Memory for request bodies in a process, each counted as the most that it may become; one organization may use half. Beyond it the response is 503.',
      integer(1_048_576, 68_719_476_736),
    ),
    '268435456',
  ),
  decisionsPerOrg: defaulted(
    setting(
      'SVC_DECISIONS_PER_ORG',
      'Concurrent decisions of one organization in a process while other organizations are active; the rest wait up to `SVC_DECISION_QUEUE_TIMEOUT_MS`, then the response is 503.',
      integer(1, 1_000_000),
    ),
    '16',
  ),
  decisionQueueTimeoutMs: defaulted(
    setting(
      'SVC_DECISION_QUEUE_TIMEOUT_MS',
      'Longest time in milliseconds that a decision waits for its turn; beyond it the response is 503. A caller of a model rarely wants to wait longer than the default.',
      integer(10, 60_000),
    ),
    '1000',
  ),
  readsPerOrg: defaulted(
    setting(
      'SVC_READS_PER_ORG',
      'Concurrent reads of one organization in a process; the rest wait up to five seconds, then the response is 503.',
      integer(1, 10_000),
    ),
    '5',
  ),
  expensiveReadsPerOrg: defaulted(
    setting(
      'SVC_EXPENSIVE_READS_PER_ORG',
      'The same for expensive reads: usage, exports, back-tests, forecasts, the ledger and the audit log.',
      integer(1, 10_000),
    ),
    '2',
  ),
  expensiveReadMsPerSecond: defaulted(
    setting(
      'SVC_EXPENSIVE_READ_MS_PER_SECOND',
      'Milliseconds of database time per second for the expensive reads of one organization in a process; beyond it the response is 429.',
      integer(1, 1_000_000),
    ),
    '250',
  ),
  expensiveReadBurstMs: defaulted(
    setting(
      'SVC_EXPENSIVE_READ_BURST_MS',
      'Most of that time that an organization can accumulate, in milliseconds.',
      integer(1, 86_400_000),
    ),
    '3000',
  ),
  waitingTelemetryPerOrg: defaulted(
    setting(
      'SVC_WAITING_TELEMETRY_PER_ORG',
      'Calls, and sums of metrics, of one organization that wait to be recorded; one key may have half of the sums. Beyond it calls are recorded at once and metrics are rejected.',
      integer(2, 10_000_000),
    ),
    '200000',
  ),
  refusalRowsPerDay: defaulted(
    setting(
      'SVC_REFUSAL_ROWS_PER_DAY',
      'Distinct refusals of one organization that are listed per day; equal ones within a minute are one. Further ones are only counted.',
      integer(1, 1_000_000),
    ),
    '10000',
  ),
  defaultReadsPerMinute: defaulted(
    setting(
      'SVC_DEFAULT_READS_PER_MINUTE',
      'Reads per minute of an organization without rate limits of its own, counted by each process.',
      integer(1, 1_000_000_000),
    ),
    '12000',
  ),
  defaultDecisionsPerMinute: defaulted(
    setting(
      'SVC_DEFAULT_DECISIONS_PER_MINUTE',
      'The same for decisions and for starting and ending runs.',
      integer(1, 1_000_000_000),
    ),
    '600000',
  ),
  defaultIngestsPerMinute: defaulted(
    setting('SVC_DEFAULT_INGESTS_PER_MINUTE', 'The same for batches of runs and traces.', integer(1, 1_000_000_000)),
    '12000',
  ),
  defaultChangesPerMinute: defaulted(
    setting('SVC_DEFAULT_CHANGES_PER_MINUTE', 'The same for all other changes.', integer(1, 1_000_000_000)),
    '12000',
  ),
  budgetsPerOrg: defaulted(
    setting(
      'SVC_BUDGETS_PER_ORG',
      'Most budgets of one organization. Every process keeps all of them in memory, and reads all of them again after each change of a limit.',
      integer(1, 20_000),
    ),
    '1000',
  ),
  foreignKeyDays: defaulted(
    setting(
      'SVC_FOREIGN_KEY_DAYS',
      'Longest time in days for which a key of another gateway may stand for one of Weir, from when it is registered; `0` lets none.',
      integer(0, 366),
    ),
    '90',
  ),
}
