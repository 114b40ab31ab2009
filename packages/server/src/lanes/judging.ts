import { ApiError } from '../contract/errors.ts'
import type { SealedAnswers } from '../idempotency/idempotency.ts'
import {
  type Allowance,
  allowanceOf,
  type ChainBounds,
  type ChainPlace,
  type Charge,
  type Claim,
  emptyBalance,
  thresholdsOf,
} from '../ledger/ledger.ts'
import type { RunKey } from '../run-log/run-log.ts'
import type { Book } from './book.ts'
import { type Ask, type Decision, decide } from './decide.ts'
import type { KeptAnswerRow } from './queries.ts'
import { balanceOf, type OrgReading } from './reading.ts'
import { type RunsEnded, runsEnded } from './recording.ts'
import type { Definitions, KnownRun, Result, Task } from './tasks.ts'
import type { KeptAnswer } from './write-queries.ts'

export type Answer = Omit<Result, 'timing'> | Error

/** Shortest time between two updates of a chain's last use. */
const chainTouchMs = 3_600_000

/** Result of deciding one organization's tasks. */
export interface Judgement {
  readonly decision: Decision
  readonly answers: ReadonlyMap<Task, Answer>
  /** Tasks that need rows which were not read: a new period has begun, or the customer has a limit that was not known. */
  readonly unread: readonly Task[]
  /** Tasks that wait until another task of the batch is decided. */
  readonly deferred: readonly Task[]
  readonly made: ReadonlyMap<string, Allowance>
  readonly keptAnswers: readonly KeptAnswer[]
  /** Chains that have begun or are used again, by id, each with the run that did so. */
  readonly chains: ReadonlyMap<string, { readonly chain: ChainPlace; readonly runId: string }>
  readonly runs: RunsEnded
  /** Run keys that were claimed for runs which do not take place. */
  readonly unclaimed: readonly RunKey[]
}

/**
 * Decides the tasks of one organization by what was read under its lock. Returns the error where its ledger state is
 * inconsistent.
 */
export function judge(...of: Parameters<typeof judgement>): Judgement | Error {
  try {
    return judgement(...of)
  } catch (error) {
    return error as Error
  }
}

function judgement(
  orgId: string,
  tasks: readonly Task[],
  reading: OrgReading,
  definitions: Definitions,
  nowMs: number,
  sealedAnswers: SealedAnswers,
): Judgement {
  const answers = new Map<Task, Answer>()
  const unread: Task[] = []
  const deferred: Task[] = []
  const asked: { task: Task; ask: Ask }[] = []
  const books = new Map<string, Book>()
  const made = new Map<string, Allowance>()
  // Known chains, and those that begin with a task of this batch.
  const chains = new Map(reading.chains)

  const open = (allowance: Allowance) => {
    if (books.has(allowance.key)) return
    const row = reading.rows.get(allowance.key)
    books.set(allowance.key, { allowance, balance: row ? balanceOf(row) : emptyBalance, exists: row !== undefined })
    if (!row) made.set(allowance.key, allowance)
  }
  for (const task of tasks) {
    const key = task.idempotency?.key
    const earlier =
      key !== undefined &&
      keptAnswer(orgId, task.idempotency!, reading.keptAnswers.get(key), reading.busyKeys.has(key), sealedAnswers)
    if (earlier) {
      answers.set(task, earlier instanceof Error ? earlier : { ...earlier, atMs: nowMs })
      continue
    }
    const named = runNamed(task, tasks, reading)
    if (named) {
      if (named === 'undecided') deferred.push(task)
      else answers.set(task, { verdict: named, atMs: nowMs })
      continue
    }
    try {
      const ask = bindTo(task, reading, definitions, nowMs)
      const allowances = allowancesOf(ask)
      const chain = ask.type === 'hold' ? ask.charge.chain : undefined
      const begun = chain && chains.get(chain.chainId)
      // Which task begins the chain, and sets its bounds, is known once the first is decided.
      if (begun && !isBoundAlike(begun, chain)) {
        deferred.push(task)
        continue
      }
      if (chain && !begun) chains.set(chain.chainId, { ...chain, lastUsedAtMs: nowMs })
      if (allowances.some(({ key }) => !reading.asked.has(key))) unread.push(task)
      else {
        for (const allowance of allowances) open(allowance)
        asked.push({ task, ask })
      }
    } catch (error) {
      answers.set(task, error as Error)
    }
  }
  openHeldAllowances(reading, definitions, books)

  const targets = new Set(asked.map(({ task }) => task.holdId))
  const decision = decide(
    { allowances: books, holds: reading.holds },
    [...asked.map(({ ask }) => ask), ...expiredAsks(reading.holds, targets)],
    nowMs,
  )

  const keptAnswers: KeptAnswer[] = []
  const held: { charge: Charge; id: string }[] = []
  const started = new Set<Task>()
  // A run gets the ending of the request that ended it, not of a later one in the same batch.
  const endings = new Map<string, Task['ending']>()
  for (const [i, { task, ask }] of asked.entries()) {
    const verdict = decision.verdicts[i]!
    answers.set(task, { verdict, atMs: nowMs })
    const body = task.idempotency?.answer(verdict, nowMs)
    if (body !== undefined) {
      const { key, hash, status = 200 } = task.idempotency!
      keptAnswers.push({ key, hash, status, sealed: sealedAnswers.seal(orgId, key, body) })
    }
    if (verdict.type === 'ended' && !verdict.isRepeat) endings.set(verdict.hold.id, task.ending)
    if (verdict.type !== 'held' || ask.type !== 'hold' || ask.isDryRun) continue
    started.add(task)
    held.push(ask)
  }
  return {
    decision,
    answers,
    unread,
    deferred,
    made,
    keptAnswers,
    chains: chainsUsed(held, reading, nowMs),
    runs: runsEnded(decision, reading.holds, (holdId) => endings.get(holdId), definitions),
    unclaimed: tasks.flatMap((task) => (task.runKey && !started.has(task) ? [task.runKey] : [])),
  }
}

const isBoundAlike = (a: ChainBounds, b: ChainBounds) =>
  a.maxCostNano === b.maxCostNano && a.maxTokens === b.maxTokens && a.maxDepth === b.maxDepth

/** Returns chains that have begun, or were not used for a while, each with the run that used it. */
export function chainsUsed(
  runs: readonly { readonly charge: Charge; readonly id: string }[],
  { chains }: OrgReading,
  nowMs: number,
): ReadonlyMap<string, { readonly chain: ChainPlace; readonly runId: string }> {
  const used = new Map<string, { chain: ChainPlace; runId: string }>()
  for (const { charge, id } of runs) {
    const { chain } = charge
    if (!chain || used.has(chain.chainId)) continue
    const known = chains.get(chain.chainId)
    if (!known || nowMs - known.lastUsedAtMs > chainTouchMs) used.set(chain.chainId, { chain, runId: id })
  }
  return used
}

/** Commands that expire holds which were read only because their lease may be over. */
export const expiredAsks = (holds: OrgReading['holds'], targets: ReadonlySet<string | undefined>): Ask[] =>
  Array.from(holds.values())
    .filter(({ id, state }) => state === 'open' && !targets.has(id))
    .map(({ id }) => ({ type: 'expire', holdId: id }))

/**
 * Returns the owner of the run key that a task wants, if another run has it; `undecided` while that is another task of the batch.
 */
function runNamed(
  { runKey }: Task,
  tasks: readonly Task[],
  { runKeys }: OrgReading,
): KnownRun | 'undecided' | undefined {
  const owner = runKey && runKeys.get(runKey.key)
  if (!owner || owner.run_id === runKey.runId) return undefined
  if (tasks.some(({ makesHold }) => makesHold === owner.run_id)) return 'undecided'
  return { type: 'known', runId: owner.run_id, contentHash: owner.content_hash }
}

/** The facts that planning needs, either read or guessed. */
type Known = Pick<OrgReading, 'customers' | 'holds' | 'chains' | 'parents'>

export function bindTo(task: Task, reading: Known, definitions: Definitions, nowMs: number): Ask {
  const hold = task.holdId === undefined ? undefined : reading.holds.get(task.holdId)
  const customerId = task.customerId ?? hold?.inputs.customer_id
  const parent = task.parentId === undefined ? undefined : reading.parents.get(task.parentId)
  const chainId = parent?.chainId ?? task.chainId
  return task.bind({
    definitions,
    customer: customerId === undefined ? undefined : reading.customers.get(customerId),
    hold,
    chain: chainId === undefined ? undefined : reading.chains.get(chainId),
    parent,
    nowMs,
  })
}

/** Returns every allowance that a command may touch. */
export function allowancesOf(ask: Ask): Allowance[] {
  if (ask.type === 'charge') return [...new Set(ask.items.map(({ claims }) => claims))].flatMap(allowancesIn)
  if (ask.type === 'settle') return allowancesIn([...ask.unheld, ...(ask.excess ?? [])])
  return allowancesIn(ask.type === 'hold' ? ask.claims : [])
}

const allowancesIn = (claims: readonly Claim[]) =>
  claims.flatMap(({ mode, allowances, newcomers }) => {
    if (mode === 'fixed') return []
    return newcomers ? [...allowances, newcomers.marker, newcomers.counter, newcomers.instead] : allowances
  })

/** Kinds whose limits are cached: one that is not there any more has ended, and only counts. */
const remembered = new Set(['spend_cap', 'budget', 'budget_default', 'plan'])

/** Adds the allowances of existing holds: a hold ends on the rows where it was made, whatever happened to their limits since. */
export function openHeldAllowances(reading: OrgReading, definitions: Definitions, books: Map<string, Book>) {
  if (reading.holds.size === 0) return
  const limits = new Map(definitions.limits.map((limit) => [limit.id, limit]))
  for (const hold of reading.holds.values()) {
    for (const [i, key] of hold.keys.entries()) {
      const row = reading.rows.get(key)
      if (books.has(key) || !row || !('limit_id' in row)) continue
      const atTheTime = {
        amount: remembered.has(row.kind) ? null : hold.limits[i]!,
        enforcement: 'block',
        thresholds: thresholdsOf(row.kind, hold.thresholds?.[i]),
      } as const
      const limit = limits.get(row.limit_id) ?? atTheTime
      books.set(key, { allowance: allowanceOf(row, limit), balance: balanceOf(row), exists: true })
    }
  }
}

/** Returns the stored response to an earlier request with the key, or the error while there is none. */
export function keptAnswer(
  orgId: string,
  { key, hash }: { readonly key: string; readonly hash: Buffer },
  kept: Pick<KeptAnswerRow, 'request_hash' | 'sealed'> | undefined,
  isBusy: boolean,
  sealedAnswers: SealedAnswers,
) {
  if (isBusy) return new ApiError('idempotency_key_processing')
  if (!kept) return undefined
  if (!kept.request_hash.equals(hash)) return new ApiError('idempotency_key_conflict')
  if (kept.sealed === null) return new ApiError('idempotency_key_processing')
  return { verdict: { type: 'not_found' } as const, replay: sealedAnswers.open(orgId, key, kept.sealed) }
}
