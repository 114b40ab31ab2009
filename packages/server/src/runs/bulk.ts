import {
  type Caller,
  lineageOfMaker,
  type Maker,
  makerOf,
  refuseOtherPins,
  withPins,
} from '../access/identity/identity.ts'
import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { heldRequestOf, settleCommand, UnpricedModel } from '../decisions/decisions.ts'
import {
  type DraftContext,
  faultsOf,
  type IngestItem,
  type IngestTask,
  type KnownHold,
  type RunDraft,
} from '../decisions/lanes/lanes.ts'
import { claimsOf } from '../money/limit-kinds.ts'
import { canonicalModel, type PriceBook } from '../money/prices/prices.ts'
import { trustIn } from '../money/trust/trust.ts'
import { forEachYielding } from '../platform/infra/time-slice.ts'
import { type CostBasis, maxRunAgeDays, type RunRecord, tokensOf } from '../records/run-log/run-log.ts'
import { newUuidAt, parseId, timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { dayMs } from '../values/time.ts'
import { type BulkRun, isSettlement } from './bulk-schema.ts'
import { placeInChain } from './chain-place.ts'
import { checkMaxCost, costOfHeld, costOfTokens, endOf, hasUsage, maxAheadMs, reportedUsage } from './cost.ts'
import { externalKey, ingestHash, isStart, noRun, reservationKey } from './run-start.ts'
import { accountFields, ignoredFields, isSameEnd, ranModelOf } from './settlement.ts'

/** Creates the task that records the runs of one request. */
export async function ingestTask(
  caller: Caller,
  runs: readonly BulkRun[],
  how: Pick<IngestTask, 'mode' | 'isRecordedOnly'>,
  nowMs: number,
): Promise<IngestTask> {
  const faults: FieldFault[] = []
  const items: IngestItem[] = []
  await forEachYielding(runs, (run, index) => {
    try {
      items.push(
        ingestItem(caller, isSettlement(run) ? checkSettlementLabels(run, caller) : withPins(run, caller), nowMs),
      )
    } catch (error) {
      faults.push(...faultsOf(error, index))
    }
  })
  if (faults.length > 0) throw validationFailed(faults)
  return { orgId: caller.orgId, agent: caller, items, ...how }
}

/** Checks the labels of a settlement: it needs none, being on its hold's account, but none may be outside the caller's pins. */
function checkSettlementLabels(run: BulkRun, caller: Caller): BulkRun {
  refuseOtherPins(run, caller)
  return run
}

function ingestItem(caller: Caller, sent: BulkRun, nowMs: number): IngestItem {
  const startedAtMs = startOf(sent, nowMs)
  const id = newUuidAt(startedAtMs)
  const [startedId, reservationId] = [idIn('run', sent.run_id), idIn('reservation', sent.reservation_id)]
  const run = withoutHeldFields(sent)
  const { external_id, customer_id, chain_id } = run
  const parentId = idIn('run', run.parent_run_id)
  const hash = external_id === undefined && reservationId === undefined ? '' : ingestHash(sent)
  return {
    key: external_id === undefined ? undefined : { name: externalKey(external_id), hash },
    holdId: startedId ?? reservationId,
    isStartedRun: startedId !== undefined,
    holdKey: reservationId === undefined ? undefined : { name: reservationKey(reservationId), hash },
    customerId: customer_id,
    chainId: chain_id,
    parentId,
    account: accountKey(run, parentId),
    draft: (facts) => draftOf(run, { id, startedAtMs, parentId, madeBy: makerOf(caller) }, facts),
    claims: (charge, facts) => claimsOf('record', charge, facts),
    chargeInChain: ({ charge }, chain, { orgConfig, parent }) => {
      if (chain_id === undefined && parentId === undefined) return charge
      const claim = { chainId: chain_id, parentRunId: run.parent_run_id, workflowId: run.workflow_id }
      const place = placeInChain(claim, { orgConfig, chain, parent }, id)
      return place ? { ...charge, chain: place } : charge
    },
    settle: (facts, charge) => {
      const cost = costOfHeld(facts.hold!, run, facts.orgConfig, caller)
      return settleCommand(caller, facts.hold!.id, cost, facts, charge)
    },
    ending: (hold, { orgConfig, nowMs: atMs }) => ({
      status: run.status ?? 'succeeded',
      usage: reportedUsage(run),
      valueNano: run.value_usd === undefined ? null : parseUsd(run.value_usd),
      endedAtMs: endOf(run.ended_at, timeOfUuid(hold.id), atMs, maxAheadMs),
      costBasis: costOfHeld(hold, run, orgConfig, caller).basis,
      ran: ranModelOf(hold, run),
    }),
    settledRun: ({ run: record }, hold, { orgConfig }) => {
      const { model, provider } = ranModelOf(hold, run)
      const about = { ...record.about, tags: record.about.tags ?? heldRequestOf(hold).tags }
      return {
        ...record,
        about: { ...about, ...accountOf(hold), model, provider },
        madeBy: hold.madeBy,
        holdId: hold.id,
        costNano: hold.chargedNano!,
        costBasis: costOfHeld(hold, run, orgConfig, caller).basis,
        reservedNano: hold.amountNano,
        overrunNano: hold.overrunNano ?? 0n,
      }
    },
    ignoredFields: (hold) => ignoredFields(hold, sent),
    isSame: ({ content_hash }) =>
      content_hash === null || isStart(content_hash) || content_hash.toString('hex') === hash,
    isSameEnd: (ended, basis) => isSameEnd(ended, run, basis),
  }
}

/** A text that is equal for runs which meet the same limits; all are of the same key. */
function accountKey(run: BulkRun, parentId: string | undefined): string {
  const { workflow_id, deployment_id, department_id, customer_id, user_id, chain_id, model, provider, tags } = run
  return JSON.stringify([
    workflow_id,
    deployment_id,
    department_id,
    customer_id,
    user_id,
    chain_id,
    parentId,
    model,
    provider,
    tags,
  ])
}

/** Removes the fields that do not count: a settlement is on the account of its hold, and a started run stays in its chain. */
function withoutHeldFields(run: BulkRun): BulkRun {
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
  readonly parentId: string | undefined
}

/** Drafts a run from its own fields and the price book. */
function draftOf(
  run: BulkRun,
  { id, startedAtMs, parentId, madeBy }: DraftedRun,
  { orgConfig, parent, nowMs }: DraftContext,
): RunDraft {
  const { usd, basis } = isSettlement(run)
    ? { usd: 0n, basis: 'reported' as const }
    : costOfUnheld(run, startedAtMs, orgConfig, lineageOfMaker(madeBy))
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
    tokens: tokensOf(usage),
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

/**
 * Returns the cost of a run without a hold: the reported one, as far as the word of its maker is taken, else that of its tokens. Only
 * tokens with a price can say better than a report.
 */
function costOfUnheld(
  run: BulkRun,
  startedAtMs: number,
  { prices, trust }: DraftContext['orgConfig'],
  lineageId: string | undefined,
): { usd: bigint; basis: CostBasis } {
  if (run.cost_usd === undefined) return costOfUnreported(run, startedAtMs, prices)
  const reported = { usd: parseUsd(run.cost_usd), basis: 'reported' } as const
  const { reportedCost } = trustIn(trust, lineageId)
  const price =
    reportedCost === 'accept' || !hasUsage(run) ? undefined : prices.priceOf(run.model ?? '', run.provider, startedAtMs)
  if (!price) return reported
  const usd = checkMaxCost(costOfTokens(price, run))
  return reportedCost === 'raise_only' && usd < reported.usd ? reported : { usd, basis: 'computed' }
}

/** Returns the cost of a run by its tokens at the time of the run. A model without a price is not free. */
function costOfUnreported(run: BulkRun, startedAtMs: number, prices: PriceBook): { usd: bigint; basis: CostBasis } {
  if (!hasUsage(run))
    throw validationFailed([
      { field: 'cost_usd', code: 'required', message: 'Give cost_usd, or the tokens that were used.' },
    ])
  const model = run.model!
  const price = prices.priceOf(model, run.provider, startedAtMs)
  if (price) return { usd: checkMaxCost(costOfTokens(price, run)), basis: 'computed' }
  if (prices.unpriced !== 'refuse' && prices.unpricedCeilingNano !== null)
    return { usd: checkMaxCost(prices.unpricedCeilingNano), basis: 'estimated' }
  throw new UnpricedModel(model, prices, 'cost_usd')
}
