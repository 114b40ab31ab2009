import type { Client } from '../api/client.ts'
import { fieldOf, type Json, recordsOf, textOf } from '../values.ts'
import { timeOf } from './labels.ts'
import { runOf } from './runs.ts'
import type { LitellmSource, SpendLog } from './source.ts'

const batchSize = 5_000
const atOnce = 4

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
  for await (const page of wanted.source.logs(wanted.since, batchSize)) {
    const all = page.filter(wanted.isChosen)
    runs.read += page.length
    runs.foreign += page.length - all.length
    const chosen = all.filter(({ started }) => isBefore(started, wanted.until))
    runs.reported += all.length - chosen.length
    for (const log of all) wanted.onLog(log, isBefore(log.started, wanted.until))
    const made = chosen.map((log) => runOf(log, wanted.keyIds))
    const known = made.filter((run) => run !== undefined)
    if (known.length < made.length) refuse(runs, 'a time or a cost that Weir cannot record', made.length - known.length)
    if (known.length === 0) continue
    const sending = send(wanted.client, known, runs)
      .then(() => wanted.onProgress(runs))
      .finally(() => underway.delete(sending))
    underway.add(sending)
    sending.catch(() => undefined)
    if (underway.size >= atOnce) await Promise.race(underway)
  }
  await Promise.all(underway)
  return runs
}

const isBefore = (started: string, until: Date | undefined) =>
  until === undefined || (timeOf(started)?.getTime() ?? 0) < until.getTime()

function refuse(runs: CarriedRuns, why: string, count = 1) {
  runs.refused += count
  runs.reasons.set(why, (runs.reasons.get(why) ?? 0) + count)
}

async function send(client: Client, batch: readonly Json[], runs: CarriedRuns) {
  const body = { runs: batch, mode: 'partial', enforce: false, count_in: 'started_period' }
  const { json } = await client.send('POST', '/v1/runs/bulk', { body })
  runs.made += Number(fieldOf(json, 'accepted'))
  runs.there += Number(fieldOf(json, 'duplicates'))
  for (const result of recordsOf(fieldOf(json, 'results'))) {
    const error = fieldOf(result, 'error')
    if (error === undefined) continue
    if (textOf(error, 'code') === 'conflict') runs.different += 1
    else refuse(runs, textOf(error, 'message'))
  }
}
