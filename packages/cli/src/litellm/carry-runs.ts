import type { Client } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { fieldOf, type Json, recordsOf, textOf } from '../values.ts'
import { timeOf } from './labels.ts'
import { runOf } from './runs.ts'
import type { LitellmSource, SpendLog } from './source.ts'

const largestBatch = 5_000
const smallestBatch = 250
const atOnce = 4
/** A batch that takes longer is followed by smaller ones, so that a busy server answers in time. */
const slowMs = 10_000

export interface CarriedRuns {
  read: number
  made: number
  there: number
  /** Calls of organizations that were not chosen. */
  foreign: number
  /** Calls that somebody else has reported already. */
  reported: number
  /** Calls that were recorded before with another content, such as without their key. */
  different: number
  refused: number
  reasons: Map<string, number>
}

export interface RunsWanted {
  readonly source: LitellmSource
  readonly client: Client
  readonly since: Date
  readonly until: Date | undefined
  readonly keyIds: ReadonlyMap<string, string>
  readonly isChosen: (log: SpendLog) => boolean
  /** Called with every call, and whether it is recorded here. */
  readonly onLog: (log: SpendLog, isRecorded: boolean) => void
  readonly onProgress: (runs: CarriedRuns) => void
}

/**
 * Records calls as history. Each has the id that it has in LiteLLM, so that what was recorded before, also by an import that was killed, is the
 * same run.
 */
export async function carryRuns(wanted: RunsWanted): Promise<CarriedRuns> {
  const runs: CarriedRuns = {
    read: 0,
    made: 0,
    there: 0,
    foreign: 0,
    reported: 0,
    different: 0,
    refused: 0,
    reasons: new Map(),
  }
  const underway = new Set<Promise<void>>()
  let batchSize = 1_000
  const record = async (batch: readonly Json[]) => {
    const began = performance.now()
    await send(wanted.client, batch, runs)
    const tookMs = performance.now() - began
    const next = tookMs > slowMs ? batch.length / 2 : tookMs < slowMs / 4 ? batch.length * 2 : batchSize
    batchSize = Math.round(Math.max(smallestBatch, Math.min(largestBatch, next)))
    wanted.onProgress(runs)
  }
  const start = async (batch: readonly Json[]) => {
    const recording = record(batch)
    underway.add(recording)
    // One that fails stays, and so ends the import at the next wait.
    recording.then(
      () => underway.delete(recording),
      () => undefined,
    )
    if (underway.size >= atOnce) await Promise.race(underway)
  }
  const waiting: Json[] = []
  for await (const page of wanted.source.logs(wanted.since, largestBatch)) {
    const all = page.filter(wanted.isChosen)
    runs.read += page.length
    runs.foreign += page.length - all.length
    const chosen = all.filter(({ started }) => isBefore(started, wanted.until))
    runs.reported += all.length - chosen.length
    for (const log of all) wanted.onLog(log, isBefore(log.started, wanted.until))
    const made = chosen.map((log) => runOf(log, wanted.keyIds))
    const known = made.filter((run) => run !== undefined)
    if (known.length < made.length)
      refuse(runs, 'an id, a time or a cost that Weir cannot record', made.length - known.length)
    waiting.push(...known)
    while (waiting.length >= batchSize) await start(waiting.splice(0, batchSize))
  }
  if (waiting.length > 0) await start(waiting)
  await Promise.all(underway)
  return runs
}

const isBefore = (started: string, until: Date | undefined) =>
  until === undefined || (timeOf(started)?.getTime() ?? 0) < until.getTime()

const indexIn = (fault: Json) => Number(/^runs\.(\d+)\./.exec(textOf(fault, 'field'))?.[1] ?? -1)

function refuse(runs: CarriedRuns, why: string, count = 1) {
  runs.refused += count
  runs.reasons.set(why, (runs.reasons.get(why) ?? 0) + count)
}

/** Sends a batch; runs that are not well-formed refuse it as a whole, so it is sent again without them. */
async function send(client: Client, batch: readonly Json[], runs: CarriedRuns): Promise<void> {
  const body = { runs: batch, mode: 'partial', enforce: false, count_in: 'started_period' }
  const { status, json } = await client.send('POST', '/v1/runs/bulk', { body, accepts: [422] })
  if (status === 422) {
    const faults = recordsOf(fieldOf(fieldOf(fieldOf(json, 'error'), 'details'), 'fields'))
    const whyByIndex = new Map(faults.map((fault) => [indexIn(fault), textOf(fault, 'message')]))
    const good = batch.filter((_, i) => !whyByIndex.has(i))
    if (good.length === batch.length)
      throw new Fault('finding', `the calls cannot be recorded: ${textOf(fieldOf(json, 'error'), 'message')}`)
    for (const [i, why] of whyByIndex) if (i >= 0) refuse(runs, why)
    return good.length === 0 ? undefined : send(client, good, runs)
  }
  runs.made += Number(fieldOf(json, 'accepted'))
  runs.there += Number(fieldOf(json, 'duplicates'))
  for (const result of recordsOf(fieldOf(json, 'results'))) {
    const error = fieldOf(result, 'error')
    if (error === undefined) continue
    if (textOf(error, 'code') === 'conflict') runs.different += 1
    else refuse(runs, textOf(error, 'message'))
  }
}
