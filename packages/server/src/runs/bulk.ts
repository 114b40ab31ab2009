import { ApiError, type FieldFault, validationFailed } from '../contract/errors.ts'
import { claimsOf, noteUnpricedModel, settleTask, UnpricedModel, withPins } from '../decisions/decisions.ts'
import type { Caller } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import { inTurns } from '../infra/turns.ts'
import {
  type Draft,
  type DraftFacts,
  faultsOf,
  type IngestItem,
  type IngestTask,
  type KnownHold,
  type RunEnding,
} from '../lanes/lanes.ts'
import { type CostBasis, maxRunAgeDays, type RunRecord, tokensOf } from '../run-log/run-log.ts'
import { newUuidAt, parseId, timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import type { BulkRun } from './bulk-schema.ts'
import { placeInChain } from './chain-place.ts'
import { bounded, costOfHeld, endOf, hasUsage, maxAheadMs, priced, usageIn } from './cost.ts'
import { externalKey, ingestHash, isStart, noRun, reservationKey } from './starting.ts'

const dayMs = 86_400_000

/** A request of runs that have happened, on its way to being recorded. */
export async function ingestTask(
  caller: Caller,
  runs: readonly BulkRun[],
  how: Pick<IngestTask, 'mode' | 'areFacts'>,
  nowMs: number,
): Promise<IngestTask> {
  const faults: FieldFault[] = []
  const items: IngestItem[] = []
  await inTurns(runs, (run, index) => {
    try {
      items.push(ingestItem(caller.orgId, withPins(run, caller), nowMs))
    } catch (error) {
      faults.push(...faultsOf(error, index))
    }
  })
  if (faults.length > 0) throw validationFailed(faults)
  return { orgId: caller.orgId, items, ...how, weight: items.length }
}

function ingestItem(orgId: string, run: BulkRun, nowMs: number): IngestItem {
  const startedAtMs = startOf(run, nowMs)
  const id = newUuidAt(startedAtMs)
  const { external_id, customer_id, chain_id } = run
  const [startedId, reservationId] = [idIn('run', run.run_id), idIn('reservation', run.reservation_id)]
  const parentId = idIn('run', run.parent_run_id)
  const key = external_id === undefined ? undefined : { name: externalKey(external_id), hash: ingestHash(run) }
  const holdKey = reservationId === undefined ? undefined : reservationKey(reservationId)
  return {
    key,
    holdId: startedId ?? reservationId,
    isStartedRun: startedId !== undefined,
    holdKey,
    customerId: customer_id,
    chainId: chain_id,
    parentId,
    account: JSON.stringify([run.workflow_id, run.deployment_id, run.department_id, customer_id, chain_id, parentId]),
    draft: (facts) =>
      draftOf(run, id, startedAtMs, parentId, startedId !== undefined || reservationId !== undefined, facts),
    claims: (charge, facts) => claimsOf('start', charge, facts),
    placed: ({ charge }, chain, { definitions, parent }) => {
      if (chain_id === undefined && parentId === undefined) return charge
      const claim = { chainId: chain_id, parentRunId: run.parent_run_id, workflowId: run.workflow_id }
      const place = placeInChain(claim, { definitions, chain, parent }, id)
      return place ? { ...charge, chain: place } : charge
    },
    settle: (facts, charge) => {
      const cost = costOfHeld(facts.hold!, run)
      return settleTask(orgId, facts.hold!.id, cost, charge).bind(facts) as ReturnType<IngestItem['settle']>
    },
    ending: (hold, atMs) => endingOf(run, timeOfUuid(hold.id), atMs),
    settled: ({ run: record }, hold) => ({
      ...record,
      about: { ...record.about, ...accountOf(record, hold) },
      holdId: hold.id,
      costNano: hold.chargedNano!,
      costBasis: costOfHeld(hold, run).basis,
      reservedNano: hold.amountNano,
      overrunNano: hold.overrunNano ?? 0n,
    }),
    isSame: (owner) =>
      owner.key === holdKey || isStart(owner.content_hash) || owner.content_hash?.toString('hex') === key?.hash,
  }
}

const dimensions = ['workflow_id', 'deployment_id', 'department_id', 'customer_id'] as const

/** On whose account it ran: what is not said again is what was said when it was reserved. */
function accountOf({ about }: RunRecord, { inputs }: KnownHold) {
  const { request } = inputs as { request?: Partial<RunRecord['about']> }
  return Object.fromEntries(dimensions.map((name) => [name, about[name] ?? request?.[name]]))
}

/** An id of a body as it is stored; what is none is looked for like one that does not exist. */
const idIn = (kind: 'run' | 'reservation', id: string | undefined) =>
  id === undefined ? undefined : (parseId(kind, id) ?? noRun)

/** Who does not say when it started may still say when it ended, which was not before. */
function startOf({ started_at, ended_at }: BulkRun, nowMs: number): number {
  if (started_at === undefined && ended_at === undefined) return nowMs
  const startedAtMs = started_at === undefined ? Math.min(Date.parse(ended_at!), nowMs) : Date.parse(started_at)
  const field = started_at === undefined ? 'ended_at' : 'started_at'
  const fault = (message: string) => validationFailed([{ field, code: 'out_of_range', message }])
  if (startedAtMs < nowMs - maxRunAgeDays * dayMs)
    throw fault(`A run can be recorded up to ${maxRunAgeDays} days after its start.`)
  if (startedAtMs > nowMs + maxAheadMs) throw fault('This lies in the future.')
  return startedAtMs
}

/** A run as far as its own fields and the price book tell. */
function draftOf(
  run: BulkRun,
  id: string,
  startedAtMs: number,
  parentId: string | undefined,
  isHeld: boolean,
  { definitions, parent, nowMs }: DraftFacts,
): Draft {
  const { usd, basis } = isHeld ? { usd: 0n, basis: 'reported' as const } : costOfUnheld(run, startedAtMs, definitions)
  const { rawDays, retentionClass } = definitions.retention
  const usage = usageIn(run)
  const chainId = parent?.chainId ?? run.chain_id
  const record: RunRecord = {
    id,
    retentionClass: startedAtMs < nowMs - rawDays * dayMs ? null : retentionClass,
    status: run.status ?? 'succeeded',
    about: {
      model: run.model,
      provider: run.provider,
      operation: run.operation,
      action: run.action,
      workflow_id: run.workflow_id,
      deployment_id: run.deployment_id,
      department_id: run.department_id,
      customer_id: run.customer_id,
      chain_id: chainId,
      parent_run_id: parentId,
      external_id: run.external_id,
      tags: run.tags,
      metadata: run.metadata,
    },
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
  }
  return { run: record, charge }
}

/** What is reported counts; else what the tokens cost at the time of the run. A model that nobody has priced is not free. */
function costOfUnheld(
  run: BulkRun,
  startedAtMs: number,
  { prices }: DraftFacts['definitions'],
): { usd: bigint; basis: CostBasis } {
  if (run.cost_usd !== undefined) return { usd: parseUsd(run.cost_usd), basis: 'reported' }
  if (!hasUsage(run))
    throw validationFailed([
      { field: 'cost_usd', code: 'required', message: 'Give cost_usd, or the tokens that were used.' },
    ])
  const price = prices.priceOf(run.model, run.provider, startedAtMs)
  if (price) return { usd: bounded(priced(price, run)), basis: 'computed' }
  if (prices.unpricedCeilingNano !== null) return { usd: prices.unpricedCeilingNano, basis: 'estimated' }
  throw new UnpricedModel(run.model, 'cost_usd')
}

const endingOf = (run: BulkRun, startedAtMs: number, nowMs: number): RunEnding => ({
  status: run.status ?? 'succeeded',
  usage: usageIn(run),
  valueNano: run.value_usd === undefined ? null : parseUsd(run.value_usd),
  endedAtMs: endOf(run.ended_at, startedAtMs, nowMs, maxAheadMs),
  costBasis: (hold) => costOfHeld(hold, run).basis,
})

/** Models without a price are written down, so that somebody prices them. */
export function noteUnpricedRuns(platform: Platform, orgId: string, runs: readonly BulkRun[], error: unknown) {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed') return
  for (const { field, code } of (error as ApiError<'validation_failed'>).details.fields) {
    const [, index] = code === 'invalid_value' ? (/^runs\.(\d+)\.model$/.exec(field) ?? []) : []
    const run = index === undefined ? undefined : runs[Number(index)]
    if (run) noteUnpricedModel(platform, orgId, run)
  }
}
