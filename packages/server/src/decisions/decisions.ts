import { type Caller, isWithinPins, parseMaker, withPins } from '../access/identity/identity.ts'
import { validationFailed } from '../contract/errors.ts'
import { pageRequest, pageResponse } from '../contract/lists.ts'
import { approvalKind } from '../money/approval-grants/approval-grants.ts'
import { stopOf } from '../money/ledger/ledger.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import type { Sql } from '../platform/infra/sql.ts'
import { heldTokensOf } from '../records/run-log/run-log.ts'
import { limitCall } from '../tenants/rate-limits/rate-limits.ts'
import { formatId, newUuid } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import type { DecisionLog } from './decision-log.ts'
import { explainHold, explainUnheld, reservationIn } from './explanation.ts'
import type { DecidedOperation, Lanes, OrgConfig } from './lanes/lanes.ts'
import {
  type AskedPlan,
  edgeDecision,
  type ReserveOperation,
  type ReservePlan,
  reserveOperation,
} from './operations.ts'
import { findHold, findRecord, listHolds } from './queries.ts'
import { outputOf, outputThatFits, quote, UnpricedModel } from './quote.ts'
import type { RaisableHold, RaisePlan } from './raises.ts'
import type { DecisionInput, EdgeDecision, ReservationListQuery } from './schema.ts'
import { recordUnpricedModel, type UnpricedOutcome } from './unpriced-models.ts'

export { createDecisionLog, type DecisionLog } from './decision-log.ts'
export { explainCharge } from './explanation.ts'
export { runOperation } from './operation-reply.ts'
export {
  heldBy,
  heldPriceOf,
  heldRequestOf,
  type ReserveOperation,
  type ReservePlan,
  reserveOperation,
  settleCommand,
  settleOperation,
} from './operations.ts'
export { quote, UnpricedModel } from './quote.ts'
export {
  findRaisableHold,
  type RaisableHold,
  type RaisePlan,
  raisedRequest,
  raiseOperation,
  repeatWhileStale,
} from './raises.ts'
export { recordRefusals, refusalRecord } from './refusal-hook.ts'
export { refusalsOfChain } from './refusals.ts'
export {
  amountFaults,
  DecisionInput,
  decisionFields,
  defaultLeaseSeconds,
  ExtendInput,
  GrantedOutput,
} from './schema.ts'
export { sweepExpiredHolds } from './sweep.ts'
export { recordUnpricedModel } from './unpriced-models.ts'

/** Decides at the edge, where only spend and rate limits can refuse. */
export function prepareEdgeDecision(platform: Platform, records: DecisionLog, caller: Caller, body: DecisionInput) {
  const input = withPins(body, caller)
  const prepared = prepareDecision(platform, records, reserveOperation(caller, input, 'edge'), input)
  return {
    ...prepared,
    answer: (decided: DecidedOperation<ReservePlan>, tokensLeft: bigint | null): EdgeDecision => {
      prepared.throwIfRefused(decided, tokensLeft)
      return edgeDecision(prepared.task, decided)
    },
  }
}

/** The task of a decision, with the id under which its explanation is stored. */
type AskedTask = Pick<ReserveOperation, 'id' | 'orgId'>

/** Returns the parts of every decision: its operation, the handling of a refusal or failure, and the tokens it may use. */
export function prepareDecision<T extends AskedTask>(
  platform: Platform,
  records: DecisionLog,
  task: T,
  input: DecisionInput,
) {
  const recordUnpriced = (became: UnpricedOutcome) => recordUnpricedModel(platform, task.orgId, input, became)
  return {
    task,
    /** Throws the refusal; stores the explanation of a decision that holds nothing. Rates on tokens leave so many for the next call. */
    throwIfRefused: (decided: DecidedOperation<AskedPlan>, tokensLeft: bigint | null) => {
      const { plan, outcome } = decided
      if (plan.quote.price.price === null) recordUnpriced('held')
      if (outcome.type === 'refused') throw refusalOf(task, input, decided, outcome, records, tokensLeft)
      if (input.dry_run === true && outcome.type === 'held')
        records.recordSampled({
          orgId: task.orgId,
          id: task.id,
          body: explainUnheld(task.id, input, decided, outcome, null),
        })
    },
    /** Records a model that could not be decided on for want of a price. */
    onFailure: (error: unknown) => {
      if (error instanceof UnpricedModel) recordUnpriced('refused')
    },
    /** Estimates the tokens that the call may use, from the cached prices. */
    tokens: (orgConfig: OrgConfig) => Number(quote(input, orgConfig, platform.clock.now().getTime()).charge.tokens),
  }
}

/** The tools of handlers that raise holds. */
export interface RaiseTools {
  readonly platform: Platform
  readonly lanes: Pick<Lanes, 'orgConfigOf'>
  readonly records: DecisionLog
  readonly rates: RateLimiter
}

/**
 * Returns the parts of a raise: the handling of a refusal or failure, and the rates on tokens. These are taken once, for what it
 * adds, however often it is tried.
 */
export function prepareRaises({ platform, lanes, records, rates }: RaiseTools, caller: Caller, template?: string) {
  let tokensLeft: bigint | null | undefined
  return async (held: RaisableHold, input: DecisionInput) => {
    const asked = { id: newUuid(), orgId: caller.orgId }
    const { throwIfRefused, onFailure, tokens } = prepareDecision(platform, records, asked, input)
    if (tokensLeft === undefined)
      tokensLeft = await limitCall(rates, caller, input, template, async () =>
        Math.max(0, tokens(await lanes.orgConfigOf(caller.orgId)) - Number(heldTokensOf(held))),
      )
    const left = tokensLeft
    return { onFailure, throwIfRefused: (decided: DecidedOperation<RaisePlan>) => throwIfRefused(decided, left) }
  }
}

/** Builds the error of the limit that refused; where its explanation is stored, with the id under which it is found. */
function refusalOf(
  task: AskedTask,
  input: DecisionInput,
  decided: DecidedOperation<AskedPlan>,
  outcome: Extract<DecidedOperation['outcome'], { type: 'refused' }>,
  records: DecisionLog,
  tokensLeft: bigint | null,
) {
  const error = outcome.refusal.claim.kind.refuse(outcome.refusal)
  // Not the refusal of a limit: there is nothing to explain.
  if (error.code === 'validation_failed') return error
  Object.assign(error.details, roomDetails(input, decided.plan, outcome, tokensLeft))
  const body = explainUnheld(task.id, input, decided, outcome, error.code)
  const surface = decided.plan.command.inputs.surface === 'edge' ? 'edge' : 'run'
  const refused = { error, surface, stoppedKey: stopOf(outcome.refusal)?.allowance.key } as const
  if (!records.recordSampled({ orgId: task.orgId, id: task.id, body, refused })) return error
  Object.assign(error.details, { decision_id: formatId('decision', task.id) })
  return error
}

/** Returns what would have fitted, for the refusal of a limit that depends on the size of the call. */
function roomDetails(
  input: DecisionInput,
  { quote: quoted, context: { orgConfig, nowMs } }: AskedPlan,
  { refusal: { claim }, room }: Extract<DecidedOperation['outcome'], { type: 'refused' }>,
  tokensLeft: bigint | null,
) {
  const isBySize = claim.mode !== 'fixed' && (claim.unit === 'usd' || claim.unit === 'tokens')
  // The refusal of a rule names no amounts.
  if (!isBySize || claim.kind.kind === approvalKind.kind) return {}
  const left = room && { usd: room.usd, tokens: leastOf(room.tokens, tokensLeft) }
  const output = left && outputThatFits(input, orgConfig, nowMs, outputOf(quoted, input), left, quoted.charge.keyId)
  return {
    ...(room && room.usd !== null && { remaining_usd: formatUsd(room.usd) }),
    ...(output !== undefined && { fits_max_output_tokens: output }),
  }
}

/** Returns the smaller of two amounts; null is no bound. */
const leastOf = (a: bigint | null, b: bigint | null) => (a === null || (b !== null && b < a) ? b : a)

/** Returns the explanation of a decision; one outside the caller's pins is not found. */
export async function explain(sql: Sql, records: DecisionLog, { orgId, pins }: Caller, id: string) {
  const found = await explanationOf(sql, records, orgId, id)
  return found && isWithinPins(pins, found.inputs) ? found : undefined
}

export function listReservations(sql: Sql, { orgId, pins }: Caller, query: ReservationListQuery) {
  const asked = pageRequest(query, 'created_at')
  const { from, to, status, key_id } = query
  const madeBy = key_id === undefined ? undefined : parseMaker(key_id)
  if (key_id !== undefined && !madeBy)
    throw validationFailed([
      { field: 'key_id', code: 'invalid_filter', message: 'This must be the id of a key or grant.' },
    ])
  return sql.asOrgs([orgId], async (tx) => {
    const rows = await listHolds(tx, orgId, asked, {
      ...(from !== undefined && { from: new Date(from) }),
      ...(to !== undefined && { to: new Date(to) }),
      state: status,
      ...(madeBy && { madeBy }),
      pins,
    })
    const answer = pageResponse(rows, asked, ({ id }) => ({ value: id, id }))
    return { ...answer, data: answer.data.map(reservationIn) }
  })
}

async function explanationOf(sql: Sql, records: DecisionLog, orgId: string, id: string) {
  return (
    records.find(orgId, id) ??
    sql.asOrgs([orgId], async (tx) => {
      const found = await findHold(tx, orgId, id)
      if (found) return explainHold(found.hold, found.allowances)
      return findRecord(tx, orgId, id)
    })
  )
}
