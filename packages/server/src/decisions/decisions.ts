import type { Caller } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'
import type { Definitions, Result } from '../lanes/lanes.ts'
import { nameAllowances } from '../ledger/ledger.ts'
import { noteUnpriced } from '../prices/prices.ts'
import { formatId } from '../values/id.ts'
import { edgeDecision, type HoldTask, holdTask, quote, UnpricedModel, withPins } from './edge.ts'
import { explainHold, explainUnheld } from './explanation.ts'
import { findHold, findRecord } from './queries.ts'
import type { DecisionRecords } from './records.ts'
import type { DecisionInput, EdgeDecision } from './schema.ts'

export { carryOut } from './carrying.ts'
export { endTask, type HoldTask, holdTask, keptPriceOf, quote, settleTask, UnpricedModel, withPins } from './edge.ts'
export { explainRuled } from './explanation.ts'
export { claimsOf } from './limit-kinds.ts'
export { type DecisionRecords, keepDecisionRecords } from './records.ts'
export { DecisionInput, decisionFields, defaultLeaseSeconds, ExtendInput, estimateFaults } from './schema.ts'
export { sweepExpiredHolds } from './sweep.ts'

/** A decision at the edge, where only spend and rate can refuse. */
export function judgeAtEdge(platform: Platform, records: DecisionRecords, caller: Caller, body: DecisionInput) {
  const input = withPins(body, caller)
  const judged = judge(platform, records, holdTask(caller.orgId, input, 'edge', 'release'), input)
  return {
    ...judged,
    answer: (result: Pick<Result, 'verdict' | 'atMs'>): EdgeDecision => {
      judged.passed(result)
      return edgeDecision(judged.task, result, input)
    },
  }
}

/** What every decision has: its task, what is told and kept when it refuses, and how many tokens it may take. */
export function judge(platform: Platform, records: DecisionRecords, asked: HoldTask, input: DecisionInput) {
  const task = noting(platform, asked, input)
  /** Throws what refused; keeps the explanation of a decision that holds nothing. */
  const passed = ({ verdict, atMs }: Pick<Result, 'verdict' | 'atMs'>) => {
    if (verdict.type === 'refused') throw refusalOf(task, input, verdict, atMs, records)
    if (input.dry_run === true && verdict.type === 'held')
      records.offer({ orgId: task.orgId, id: task.id, body: explainUnheld(task, input, verdict, atMs, null) })
  }
  /** How many tokens the call may take, by what this process knows of prices. */
  const tokens = (definitions: Definitions) =>
    Number(quote(input, definitions, platform.clock.now().getTime()).charge.tokens)
  return { task, passed, tokens }
}

/** The error of the limit that decided; where its explanation is kept, with the id under which it is found. */
function refusalOf(
  task: HoldTask,
  input: DecisionInput,
  verdict: Extract<Result['verdict'], { type: 'refused' }>,
  atMs: number,
  records: DecisionRecords,
) {
  const error = verdict.refusal.claim.kind.refuse(verdict.refusal)
  const body = explainUnheld(task, input, verdict, atMs, error.code)
  if (!records.offer({ orgId: task.orgId, id: task.id, body, message: error.message })) return error
  Object.assign(error.details, { decision_id: formatId('decision', task.id) })
  return error
}

const noteAgainMs = 60_000
const maxNoted = 10_000
const noted = new Map<string, number>()

/** A model without a price is written down, whatever becomes of the call: somebody has to price it. */
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
    log.warn({ error }, 'an unpriced model was not noted'),
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

export async function explain(sql: Sql, records: DecisionRecords, orgId: string, id: string) {
  return (
    records.find(orgId, id) ??
    sql.asOrgs([orgId], async (tx) => {
      const hold = await findHold(tx, orgId, id)
      if (hold) return explainHold(hold, await nameAllowances(tx, orgId, hold.keys))
      return findRecord(tx, orgId, id)
    })
  )
}
