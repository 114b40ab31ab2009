import {
  lineageIn,
  lineageOfMaker,
  type Maker,
  makerOf,
  refuseOtherPins,
  withNormalNames,
  withPins,
} from '../access/identity/identity.ts'
import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { heldRequestOf, settleCommand } from '../decisions/decisions.ts'
import {
  type DraftContext,
  faultsOf,
  type IngestItem,
  type IngestTask,
  isManager,
  type KnownHold,
  type RunDraft,
} from '../decisions/lanes/lanes.ts'
import { refuseUnknownNames } from '../money/dimensions/dimensions.ts'
import { claimsOf, historyClaims } from '../money/limit-kinds.ts'
import { canonicalModel } from '../money/prices/prices.ts'
import { forEachYielding } from '../platform/infra/time-slice.ts'
import { bucketMs, isRunHold, maxRunAgeDays, type RunRecord, tokensOf } from '../records/run-log/run-log.ts'
import { newUuidAt, parseId, timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { present } from '../values/present.ts'
import { dayMs } from '../values/time.ts'
import { accountKey } from './account-key.ts'
import { type BulkRun, isSettlement } from './bulk-schema.ts'
import { placeInChain } from './chain-place.ts'
import { costOfHeld, endOf, maxAheadMs, reportedUsage } from './cost.ts'
import { externalKey, ingestHash, isStart, noRun, requestKey, reservationKey } from './run-start.ts'
import { accountFields, estimateReport, ignoredFields, isSameEnd, ranModelOf } from './settlement.ts'
import { countedByTelemetry, type RecordedRun, type Recorder } from './telemetry-facts.ts'
import { costOfUnheld } from './unheld-cost.ts'

/** The way in which runs are recorded. */
interface RecordingMode extends Pick<IngestTask, 'mode' | 'isRecordedOnly'> {
  /** Keys whose history the runs are, by their ids as runs name them. */
  readonly makers?: ReadonlyMap<string, Maker>
  /** True when they are charged to the periods in which they started. */
  readonly isHistory?: boolean
  /** The time in whose periods they are charged, where it is neither their start nor now. */
  readonly countedAtMs?: number | undefined
}

/** Creates the task that records the runs of one request. */
export async function ingestTask(
  caller: Recorder,
  runs: readonly RecordedRun[],
  { isHistory = false, makers = new Map(), countedAtMs, ...how }: RecordingMode,
  nowMs: number,
): Promise<IngestTask> {
  const faults: FieldFault[] = []
  const items: IngestItem[] = []
  await forEachYielding(runs, (run, index) => {
    const tried = <T>(work: () => T): T | undefined => {
      try {
        return work()
      } catch (error) {
        faults.push(...faultsOf(error, index))
        return undefined
      }
    }
    if (run.key_id !== undefined && !makers.has(run.key_id))
      faults.push({ field: `runs.${index}.key_id`, code: 'invalid_value', message: 'There is no such key.' })
    const labelled = tried(() => (isSettlement(run) ? checkSettlementLabels(run, caller) : withPins(run, caller)))
    const item = tried(() => ingestItem(caller, labelled ?? run, nowMs, { ...how, isHistory, makers, countedAtMs }))
    if (item) items.push(item)
  })
  if (faults.length > 0) throw validationFailed(faults)
  return { orgId: caller.orgId, agent: caller, items, ...how }
}

/** Checks the labels of a settlement: it needs none, being on its hold's account, but none may be outside the caller's pins. */
function checkSettlementLabels(run: BulkRun, caller: Recorder): BulkRun {
  const named = withNormalNames(run)
  refuseOtherPins(named, caller)
  return named
}

function ingestItem(
  caller: Recorder,
  sent: RecordedRun,
  nowMs: number,
  { isRecordedOnly, isHistory, makers, countedAtMs }: Omit<RecordingMode, 'mode'>,
): IngestItem {
  const madeBy = (sent.key_id === undefined ? undefined : makers?.get(sent.key_id)) ?? makerOf(caller)
  const startedAtMs = startOf(sent, nowMs)
  const periodAtMs = isHistory ? startedAtMs : countedAtMs
  const id = newUuidAt(startedAtMs)
  const [startedId, reservationId] = [idIn('run', sent.run_id), idIn('reservation', sent.reservation_id)]
  const run = withoutHeldFields(sent)
  const { external_id, customer_id, chain_id } = run
  const parentId = idIn('run', run.parent_run_id)
  const endingOf: IngestItem['ending'] = (hold, { orgConfig, nowMs: atMs }) => {
    const { basis, detail } = costOfHeld(hold, run, orgConfig, caller)
    return {
      status: run.status ?? 'succeeded',
      usage: reportedUsage(run),
      usageDetail: detail,
      valueNano: run.value_usd === undefined ? null : parseUsd(run.value_usd),
      endedAtMs: endOf(run.ended_at, timeOfUuid(hold.id), atMs, maxAheadMs),
      costBasis: basis,
      ran: ranModelOf(hold, run),
    }
  }
  const hash = external_id === undefined && reservationId === undefined ? '' : ingestHash(sent)
  return {
    key: external_id === undefined ? undefined : { name: externalKey(external_id), hash },
    holdId: startedId ?? reservationId,
    // Only whom a gateway is: a run that is known by its request hides what others report of it.
    requestKey:
      startedId === undefined || run.provider_request_id === undefined || !isManager(caller)
        ? undefined
        : requestKey(run.provider_request_id),
    isStartedRun: startedId !== undefined,
    isEstimate: run.estimated === true,
    holdKey: reservationId === undefined ? undefined : { name: reservationKey(reservationId), hash },
    customerId: customer_id,
    chainId: chain_id,
    parentId,
    account: accountKey(
      run,
      parentId,
      lineageOfMaker(madeBy),
      periodAtMs === undefined ? undefined : periodAtMs - (periodAtMs % bucketMs),
    ),
    draft: (facts) => {
      if (!isRecordedOnly && !isSettlement(run)) refuseUnknownNames(facts.orgConfig, run)
      return draftOf(run, { id, startedAtMs, parentId, madeBy, reporterId: lineageIn(caller) }, facts)
    },
    claims: (charge, facts) =>
      periodAtMs === undefined
        ? claimsOf('record', charge, facts)
        : historyClaims(charge, facts, Math.min(periodAtMs, facts.nowMs)),
    chargeInChain: ({ charge }, chain, { orgConfig, parent }) => {
      if (chain_id === undefined && parentId === undefined) return charge
      const claim = { chainId: chain_id, parentRunId: run.parent_run_id, workflowId: run.workflow_id }
      const place = placeInChain(claim, { orgConfig, chain, parent }, id)
      return place ? { ...charge, chain: place } : charge
    },
    settle: (facts, { chain }) => {
      const hold = present(facts.hold)
      const cost = costOfHeld(hold, run, facts.orgConfig, caller)
      return settleCommand(caller, hold.id, cost, facts, {
        chain,
        ...(isRunHold(hold) && { estimate: estimateReport(run, endingOf(hold, facts)) }),
      })
    },
    ending: endingOf,
    settledRun: ({ run: record }, hold, { orgConfig }) => {
      const { model, provider } = ranModelOf(hold, run)
      const { basis, detail } = costOfHeld(hold, run, orgConfig, caller)
      const about = { ...record.about, tags: record.about.tags ?? heldRequestOf(hold).tags }
      return {
        ...record,
        about: { ...about, ...accountOf(hold), model, provider },
        madeBy: hold.madeBy,
        holdId: hold.id,
        costNano: hold.chargedNano!,
        costBasis: basis,
        usageDetail: detail,
        reservedNano: hold.amountNano,
        overrunNano: hold.overrunNano ?? 0n,
      }
    },
    ignoredFields: (hold) => ignoredFields(hold, sent),
    isSame: ({ content_hash }) =>
      content_hash === null || isStart(content_hash) || content_hash.toString('hex') === hash,
    isSameEnd: (ended, ending) => isSameEnd(ended, run, ending),
  }
}

/** Removes the fields that do not count: a settlement is on the account of its hold, and a started run stays in its chain. */
function withoutHeldFields(run: RecordedRun): RecordedRun {
  if (!isSettlement(run)) return run
  const { workflow_id: _w, deployment_id: _d, department_id: _p, customer_id: _c, user_id: _u, ...own } = run
  if (own.run_id === undefined) return own
  const { chain_id: _chain, parent_run_id: _parent, ...end } = own
  return end
}

/** The account that a hold was made on. */
const accountOf = (hold: KnownHold) => {
  const request = heldRequestOf(hold)
  return Object.fromEntries(accountFields.map((name) => [name, request[name]]))
}

/** Parses an id of a body; an invalid one is looked up like one that does not exist. */
const idIn = (kind: 'run' | 'reservation', id: string | undefined) =>
  id === undefined ? undefined : (parseId(kind, id) ?? noRun)

/** Returns the start of a run: the reported one, else its end, else now. */
function startOf({ started_at, ended_at }: BulkRun, nowMs: number): number {
  if (started_at === undefined && ended_at === undefined) return nowMs
  const startedAtMs = started_at === undefined ? Math.min(Date.parse(ended_at!), nowMs) : Date.parse(started_at)
  const field = started_at === undefined ? 'ended_at' : 'started_at'
  const fault = (message: string) => validationFailed([{ field, code: 'out_of_range', message }])
  if (startedAtMs < nowMs - maxRunAgeDays * dayMs)
    throw fault(`A run can be recorded up to ${maxRunAgeDays} days after its start.`)
  if (startedAtMs > nowMs + maxAheadMs) throw fault('Must not be in the future.')
  return startedAtMs
}

/** Facts about a run beside its own fields. */
interface DraftedRun extends Pick<RunRecord, 'id' | 'startedAtMs'> {
  readonly madeBy: Maker | undefined
  /** The lineage of the key that reports it. */
  readonly reporterId: string | undefined
  readonly parentId: string | undefined
}

/** Drafts a run from its own fields and the price book. */
function draftOf(
  given: RecordedRun,
  { id, startedAtMs, parentId, madeBy, reporterId }: DraftedRun,
  { orgConfig, parent, nowMs }: DraftContext,
): RunDraft {
  const { run, cost } = countedByTelemetry(
    given,
    isSettlement(given)
      ? { usd: 0n, basis: 'reported' as const, detail: undefined }
      : costOfUnheld(given, startedAtMs, orgConfig, lineageOfMaker(madeBy), reporterId),
  )
  const { usd, detail } = cost
  const basis = run.estimated === true ? 'estimated' : cost.basis
  const { rawDays, retentionClass } = orgConfig.retention
  const usage = reportedUsage(run)
  const chainId = parent?.chainId ?? run.chain_id
  const record: RunRecord = {
    id,
    retentionClass: startedAtMs < nowMs - rawDays * dayMs ? null : retentionClass,
    status: run.status ?? 'succeeded',
    about: {
      // For a settlement it is known with its hold.
      model: run.model ?? '',
      provider: run.provider,
      operation: run.operation,
      action: run.action,
      workflow_id: run.workflow_id,
      deployment_id: run.deployment_id,
      department_id: run.department_id,
      customer_id: run.customer_id,
      user_id: run.user_id,
      chain_id: chainId,
      parent_run_id: parentId,
      external_id: run.external_id,
      tags: run.tags,
      metadata: run.metadata,
    },
    madeBy,
    depth: chainId === undefined ? null : parentId === undefined ? 1 : (parent?.depth ?? 0) + 1,
    holdId: null,
    usage,
    usageDetail: detail,
    costNano: usd,
    costBasis: basis,
    reservedNano: null,
    overrunNano: 0n,
    valueNano: run.value_usd === undefined ? null : parseUsd(run.value_usd),
    startedAtMs,
    endedAtMs:
      run.ended_at === undefined
        ? null
        : endOf(run.ended_at, startedAtMs, nowMs, run.run_id === undefined ? undefined : maxAheadMs),
  }
  const charge = {
    usd,
    tokens: tokensOf(usage, detail),
    runs: 1n,
    workflowId: run.workflow_id,
    deploymentId: run.deployment_id,
    departmentId: run.department_id,
    customerId: run.customer_id,
    userId: run.user_id,
    keyId: lineageOfMaker(madeBy),
    ...canonicalModel(run.model ?? '', run.provider),
    tags: run.tags,
  }
  return { run: record, charge }
}
