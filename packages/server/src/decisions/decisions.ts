import { validationFailed } from '../contract/errors.ts'
import { page, pageRequest } from '../contract/lists.ts'
import { type Caller, isWithin, parseMaker, withPins } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'
import type { Definitions, Result } from '../lanes/lanes.ts'
import { nameAllowances, stopOf } from '../ledger/ledger.ts'
import { noteUnpriced } from '../prices/prices.ts'
import { formatId } from '../values/id.ts'
import { edgeDecision, type HoldTask, holdTask, quote, UnpricedModel } from './edge.ts'
import { explainHold, explainUnheld, reservationIn } from './explanation.ts'
import { findHold, findRecord, listHolds } from './queries.ts'
import type { DecisionRecords } from './records.ts'
import type { DecisionInput, EdgeDecision, ReservationListQuery } from './schema.ts'

export { carryOut } from './carrying.ts'
export {
  endTask,
  type HoldTask,
  heldRequestOf,
  holdTask,
  keptPriceOf,
  quote,
  settleTask,
  UnpricedModel,
} from './edge.ts'
export { explainCharge } from './explanation.ts'
export { claimsOf } from './limit-kinds.ts'
export { noteRefusals, refusalRecord } from './noting.ts'
export { type DecisionRecords, keepDecisionRecords } from './records.ts'
export { refusedInChain } from './refusals.ts'
export { DecisionInput, decisionFields, defaultLeaseSeconds, ExtendInput, estimateFaults } from './schema.ts'
export { sweepExpiredHolds } from './sweep.ts'

/** Decides at the edge, where only spend and rate limits can refuse. */
export function judgeAtEdge(platform: Platform, records: DecisionRecords, caller: Caller, body: DecisionInput) {
  const input = withPins(body, caller)
  const judged = judge(platform, records, holdTask(caller, input, 'edge', 'release'), input)
  return {
    ...judged,
    answer: (result: Pick<Result, 'verdict' | 'atMs'>): EdgeDecision => {
      judged.passed(result)
      return edgeDecision(judged.task, result, input)
    },
  }
}

/** Returns the parts of every decision: its operation, the handling of a refusal, and the tokens it may use. */
export function judge(platform: Platform, records: DecisionRecords, asked: HoldTask, input: DecisionInput) {
  const task = noting(platform, asked, input)
  /** Throws the refusal; stores the explanation of a decision that holds nothing. */
  const passed = ({ verdict, atMs }: Pick<Result, 'verdict' | 'atMs'>) => {
    if (verdict.type === 'refused') throw refusalOf(task, input, verdict, atMs, records)
    if (input.dry_run === true && verdict.type === 'held')
      records.offer({ orgId: task.orgId, id: task.id, body: explainUnheld(task, input, verdict, atMs, null) })
  }
  /** Estimates the tokens that the call may use, from the cached prices. */
  const tokens = (definitions: Definitions) =>
    Number(quote(input, definitions, platform.clock.now().getTime()).charge.tokens)
  return { task, passed, tokens }
}

/** Builds the error of the limit that refused; where its explanation is stored, with the id under which it is found. */
function refusalOf(
  task: HoldTask,
  input: DecisionInput,
  verdict: Extract<Result['verdict'], { type: 'refused' }>,
  atMs: number,
  records: DecisionRecords,
) {
  const error = verdict.refusal.claim.kind.refuse(verdict.refusal)
  // Not the refusal of a limit: there is nothing to explain.
  if (error.code === 'validation_failed') return error
  const body = explainUnheld(task, input, verdict, atMs, error.code)
  const surface = task.lastAsk().inputs['surface'] === 'edge' ? 'edge' : 'run'
  const refused = { error, surface, stoppedKey: stopOf(verdict.refusal)?.allowance.key } as const
  if (!records.offer({ orgId: task.orgId, id: task.id, body, refused })) return error
  Object.assign(error.details, { decision_id: formatId('decision', task.id) })
  return error
}

const noteAgainMs = 60_000
const maxNoted = 10_000
const noted = new Map<string, number>()

/** Records a model without a price, whatever the outcome of the call: somebody has to price it. */
export function noteUnpricedModel(
  { sql, log, clock }: Pick<Platform, 'sql' | 'log' | 'clock'>,
  orgId: string,
  { model, provider }: Pick<DecisionInput, 'model' | 'provider'>,
) {
  const of = JSON.stringify([orgId, model, provider])
  const nowMs = clock.now().getTime()
  if (nowMs < (noted.get(of) ?? 0)) return
  if (noted.size >= maxNoted) noted.clear()
  noted.set(of, nowMs + noteAgainMs)
  noteUnpriced(sql, orgId, model, provider).catch((error: unknown) =>
    log.warn({ error }, 'failed to record an unpriced model'),
  )
}

function noting(platform: Platform, task: HoldTask, input: DecisionInput): HoldTask {
  const note = () => noteUnpricedModel(platform, task.orgId, input)
  return {
    ...task,
    bind: (facts) => {
      try {
        const ask = task.bind(facts)
        if (task.quoted().price.price === null) note()
        return ask
      } catch (error) {
        if (error instanceof UnpricedModel) note()
        throw error
      }
    },
  }
}

/** Returns the explanation of a decision; one outside the caller's pins is not found. */
export async function explain(sql: Sql, records: DecisionRecords, { orgId, pins }: Caller, id: string) {
  const found = await explanationOf(sql, records, orgId, id)
  return found && isWithin(pins, found.inputs) ? found : undefined
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
    const answer = page(rows, asked, ({ id }) => ({ value: id, id }))
    return { ...answer, data: answer.data.map(reservationIn) }
  })
}

async function explanationOf(sql: Sql, records: DecisionRecords, orgId: string, id: string) {
  return (
    records.find(orgId, id) ??
    sql.asOrgs([orgId], async (tx) => {
      const hold = await findHold(tx, orgId, id)
      if (hold) return explainHold(hold, await nameAllowances(tx, orgId, hold.keys))
      return findRecord(tx, orgId, id)
    })
  )
}
