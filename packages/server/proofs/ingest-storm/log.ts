import { closeSync, openSync, writeSync } from 'node:fs'
import type { Reply } from '../storm/exchange.ts'
import type { Mode, SentRun, StormOrg } from './batches.ts'

/** What became of a run, as far as its senders know. */
export interface Fate {
  /** What it was said to cost, by each that sent it. */
  readonly costs: Set<string>
  /** Whether its name was given to a run that was started: whatever ends that is the same run. */
  readonly isStarted: boolean
  acknowledged: { readonly runId: string; readonly run: SentRun } | undefined
  /** How often it was told to be recorded now, and not before. */
  accepted: number
  /** How often it was found in the end. */
  found: number
}

interface Told {
  readonly index: number
  readonly run_id: string | null
  readonly external_id: string | null
  readonly duplicate: boolean
  readonly error?: { readonly code: string }
}

/** What clients sent and what they were told, in memory and, before they act on it, in a file. */
export class IngestLog {
  readonly fates = new Map<string, Map<string, Fate>>()
  readonly faults: string[] = []
  readonly counts = {
    sends: 0,
    answers: 0,
    unanswered: 0,
    runsSent: 0,
    refusedRuns: 0,
    refusedBatches: 0,
    conflicts: 0,
  }
  readonly path: string
  private readonly file: number

  constructor(path: string) {
    this.path = path
    this.file = openSync(path, 'a')
  }

  sends({ name }: StormOrg, label: string, mode: Mode, runs: readonly SentRun[], port: number) {
    this.counts.sends++
    this.counts.runsSent += runs.length
    this.write({ send: label, org: name, mode, port, runs: runs.length })
    for (const { external_id, cost_usd } of runs) this.fateOf(name, external_id).costs.add(cost_usd)
  }

  /** Its name has been given to a run that was started. */
  starts({ name }: StormOrg, externalId: string) {
    this.write({ start: externalId, org: name })
    this.fateOf(name, externalId, true)
  }

  started({ name }: StormOrg, externalId: string, runId: string) {
    this.write({ started: externalId, org: name, runId })
    this.startedAs.set(`${name} ${externalId}`, runId)
  }
  private readonly startedAs = new Map<string, string>()

  /** Notes an answer; says how many conflicts it tells. */
  answered(org: StormOrg, label: string, mode: Mode, runs: readonly SentRun[], reply: Reply): number {
    const before = this.counts.conflicts
    this.counts.answers++
    this.read(org, label, mode, runs, reply)
    return this.counts.conflicts - before
  }

  private read(org: StormOrg, label: string, mode: Mode, runs: readonly SentRun[], { status, text }: Reply) {
    if (status === 200) {
      const { results } = JSON.parse(text) as { results: Told[] }
      this.write({ answered: label, org: org.name, runs: results.map(({ run_id, error }) => run_id ?? error?.code) })
      if (results.length !== runs.length) this.fault(org, label, `${results.length} results for ${runs.length} runs`)
      for (const [i, told] of results.entries()) this.hear(org, label, runs[i]!, told)
      return
    }
    this.write({ answered: label, org: org.name, status, text: text.slice(0, 500) })
    const { error } = JSON.parse(text) as { error: { code: string; details: { settled?: Told[] } } }
    const isRefusal = status === 402 && error.code === 'budget_exceeded' && org.isTight
    const isConflict = status === 409 && error.code === 'conflict' && runs.some((run) => this.isContested(org, run))
    if (mode !== 'atomic' || !(isRefusal || isConflict)) this.fault(org, label, `answered ${status}: ${text}`)
    if (isRefusal) this.counts.refusedBatches++
    if (isConflict) this.counts.conflicts++
    for (const { index, run_id } of error.details.settled ?? []) this.acknowledge(org, label, runs[index]!, run_id!)
  }

  private hear(org: StormOrg, label: string, run: SentRun, { run_id, external_id, duplicate, error }: Told) {
    if (external_id !== run.external_id) this.fault(org, label, `${run.external_id} was answered as ${external_id}`)
    if (error) {
      if (error.code === 'conflict' && this.isContested(org, run)) this.counts.conflicts++
      else if (error.code === 'budget_exceeded' && org.isTight) this.counts.refusedRuns++
      else this.fault(org, label, `${run.external_id} was refused with ${error.code}`)
      return
    }
    if (run_id === null) return this.fault(org, label, `${run.external_id} was recorded without an id`)
    const fate = this.acknowledge(org, label, run, run_id)
    if (!duplicate && ++fate.accepted > 1) this.fault(org, label, `${run.external_id} was recorded anew again`)
  }

  private acknowledge(org: StormOrg, label: string, run: SentRun, runId: string): Fate {
    const fate = this.fateOf(org.name, run.external_id)
    const { acknowledged } = fate
    fate.acknowledged ??= { runId, run }
    if (acknowledged && acknowledged.runId !== runId)
      this.fault(org, label, `${run.external_id} was acknowledged as ${acknowledged.runId}, and now as ${runId}`)
    if (acknowledged && acknowledged.run.cost_usd !== run.cost_usd)
      this.fault(org, label, `${run.external_id} was acknowledged with other content`)
    const startedAs = this.startedAs.get(`${org.name} ${run.external_id}`)
    if (startedAs !== undefined && startedAs !== runId)
      this.fault(org, label, `${run.external_id} was started as ${startedAs}, and ended as ${runId}`)
    return fate
  }

  /** Whether it may be refused for its name: another run has it, or one that was sent beside it may have. */
  private isContested({ name }: StormOrg, { external_id, cost_usd }: SentRun) {
    const { acknowledged, costs } = this.fateOf(name, external_id)
    return acknowledged ? acknowledged.run.cost_usd !== cost_usd : costs.size > 1
  }

  isAcknowledged = ({ name }: StormOrg, externalId: string) =>
    this.fates.get(name)?.get(externalId)?.acknowledged !== undefined

  private fateOf(org: string, externalId: string, isStarted = false): Fate {
    let own = this.fates.get(org)
    if (!own) this.fates.set(org, (own = new Map()))
    let fate = own.get(externalId)
    if (!fate)
      own.set(externalId, (fate = { costs: new Set(), isStarted, acknowledged: undefined, accepted: 0, found: 0 }))
    return fate
  }

  private fault({ name }: StormOrg, label: string, what: string) {
    this.faults.push(`${name} ${label}: ${what}`)
  }

  private write(entry: object) {
    writeSync(this.file, `${JSON.stringify(entry)}\n`)
  }

  close() {
    closeSync(this.file)
  }
}
