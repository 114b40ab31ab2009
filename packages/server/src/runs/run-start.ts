import { hash } from 'node:crypto'
import { type Agent, lineageIn } from '../access/identity/identity.ts'
import { ApiError, validationFailed } from '../contract/errors.ts'
import { heldBy, type ReserveOperation, type ReservePlan, reserveOperation } from '../decisions/decisions.ts'
import type { DecidedOperation, KnownHold, NamedRun, Operation, PlanContext } from '../decisions/lanes/lanes.ts'
import { refuseUnknownNames } from '../money/dimensions/dimensions.ts'
import { type ApprovalGrant, usdOrNull } from '../money/ledger/ledger.ts'
import { trustIn } from '../money/trust/trust.ts'
import {
  type Admission,
  heldOutputOf,
  type Run,
  type RunKey,
  runningRun,
  runningView,
} from '../records/run-log/run-log.ts'
import { formatId, newUuid, parseId } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import { placeInChain } from './chain-place.ts'
import type { DryRun, ResolvedStart, StartedRun, StartInput } from './schema.ts'

/** The run key of a caller's own id. */
export const externalKey = (externalId: string) => `e:${externalId}`
/** The run key of the reservation that a run settled. */
export const reservationKey = (holdId: string) => `r:${holdId}`

/** The run key of a request to a provider, by the provider's own id: two reports of one request meet there. */
export const requestKey = (requestId: string) => `p:${hash('sha256', requestId, 'hex')}`

/** First byte of a content hash: tells a start from an ingested run. */
const startMark = '00'
const ingestMark = '01'
export const startHash = ({ input: _unkept, ...said }: StartInput) => startMark + contentHash(said)
export const ingestHash = (content: object) => ingestMark + contentHash(content)
export const isStart = (contentHash: Buffer | null) => contentHash?.[0] === 0

/** Hashes content, independent of the order of its fields. */
const contentHash = (content: object) => hash('sha256', JSON.stringify(sorted(content)), 'hex')

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const fields = value as Record<string, unknown>
  const all: unknown[] = []
  for (const name of Object.keys(fields).sort()) if (fields[name] !== undefined) all.push(name, sorted(fields[name]))
  return all
}

/** Facts about a start beside its request. */
export interface StartFacts {
  /** Hash of the whole request, so that the same start is recognized. */
  readonly hash: string
  readonly admission?: Admission | undefined
  readonly grant?: ApprovalGrant | undefined
  /** False when the input for the model was not sent along. */
  readonly hasInput?: boolean | undefined
}

/** Creates the operation that starts a run: its hold, and the fields stored for the run. */
export function startOperation(
  agent: Agent,
  input: ResolvedStart,
  { hash: said, admission, grant, hasInput = true }: StartFacts,
): ReserveOperation {
  const { orgId } = agent
  const { operation, action, chain_id, parent_run_id, external_id, tags, metadata, chain_limits, ...request } = input
  // An invalid id is looked up like one that does not exist.
  const parentId = parent_run_id === undefined ? undefined : (parseId('run', parent_run_id) ?? noRun)
  return reserveOperation(agent, request, 'start', {
    chainId: chain_id,
    parentId,
    runKey: (id): RunKey | undefined =>
      external_id === undefined || input.dry_run === true
        ? undefined
        : { orgId, key: externalKey(external_id), runId: id, hash: said },
    place: (facts, id) => {
      refuseUnknownNames(facts.orgConfig, { action, tags })
      requireFields(facts.orgConfig, agent, { input: hasInput, action: action !== undefined })
      if (parent_run_id !== undefined && !facts.parent) throw new ApiError('not_found')
      const chain = placeInChain(
        { chainId: chain_id, parentRunId: parent_run_id, workflowId: request.workflow_id, bounds: chain_limits },
        facts,
        id,
      )
      const { chainId, depth } = chain ?? {}
      return {
        chain,
        approval: grant,
        run: {
          operation,
          action,
          external_id,
          tags,
          metadata,
          chain_id: chainId,
          parent_run_id: parentId,
          depth,
          admission,
        },
      }
    },
  })
}

/** Refuses a start without the fields that are required of its key. */
function requireFields(
  { trust }: PlanContext['orgConfig'],
  agent: Agent,
  has: { readonly input: boolean; readonly action: boolean },
) {
  if (!trust) return
  const { isInputRequired, isActionRequired } = trustIn(trust, lineageIn(agent))
  const missing = [
    ...(isInputRequired && !has.input ? ['input'] : []),
    ...(isActionRequired && !has.action ? ['action'] : []),
  ]
  if (missing.length > 0)
    throw validationFailed(
      missing.map((field) => ({ field, code: 'required', message: 'Your key requires this field.' })),
    )
}

/**
 * Creates the operation of a refused start, which returns the run if it has started already: a caller that lost the response gets
 * it again.
 */
export const refusedStartOperation = (
  orgId: string,
  { external_id, dry_run }: { readonly external_id?: string | undefined; readonly dry_run?: boolean },
  hash: string,
  refusal: Error,
): Operation => ({
  orgId,
  runKey:
    external_id === undefined || dry_run === true
      ? undefined
      : { orgId, key: externalKey(external_id), runId: newUuid(), hash },
  plan: () => {
    throw refusal
  },
})

export const noRun = '00000000-0000-0000-0000-000000000000'

/** Builds the started run from its plan. */
export function startedRun({ plan, outcome }: DecidedOperation<ReservePlan>): StartedRun {
  if (outcome.type !== 'held') throw new TypeError(`no run starts with ${outcome.type}`)
  const { id, expiresAtMs, by } = plan.command
  const { charge, inputs } = heldBy(plan, outcome)
  const run = runningView(runningRun({ id, expiresAtMs, amountNano: charge.usd, inputs, madeBy: by }))
  return { ...run, remaining_usd: usdOrNull(outcome.remaining) }
}

/** The run that a dry run would have started. */
export function dryRun({ plan, outcome }: DecidedOperation<ReservePlan>, { model, provider }: ResolvedStart): DryRun {
  if (outcome.type !== 'held') throw new TypeError(`nothing would start with ${outcome.type}`)
  const { charge, inputs } = heldBy(plan, outcome)
  return {
    decision: 'allow',
    decision_id: formatId('decision', plan.command.id),
    model,
    provider: provider ?? null,
    reserved_usd: formatUsd(charge.usd),
    max_output_tokens: heldOutputOf({ inputs }),
    remaining_usd: usdOrNull(outcome.remaining),
  }
}

/**
 * Returns the existing run of a start whose external_id is taken: the same start is answered with that run, a different one is a
 * conflict.
 */
export function earlierStart({ run }: NamedRun, said: string): string {
  if (run.contentHash?.toString('hex') === said) return run.runId
  throw new ApiError('conflict', {}, { message: 'Another run has this external_id.' })
}

/** Builds a running run from its hold. */
export const runOfHold = (hold: object): Run => runningView(runningRun(hold as KnownHold))
