import type { Schema } from './api.ts'
import { isUnbilled } from './billing.ts'
import { StreamMeter } from './stream-meter.ts'
import { sumOfUsage, type Usage, usageOf } from './usage.ts'

/** The end of a run, as far as a caller may say it. */
export type Report = Omit<Schema<'FinishInput'>, 'status'>

/** The end of a run as it is sent. */
export type Ending = Schema<'FinishInput'>

/** The parts that a run needs from the client that started it. */
export interface RunParts {
  readonly externalId: string
  readonly signal: AbortSignal
  /** The answer to its start; undefined for a call without a reservation. */
  readonly started: Schema<'StartedRun'> | undefined
  readonly settle: (ending: Ending) => Promise<Schema<'FinishedRun'> | undefined>
  readonly usageUnknown: () => void
}

/** A call that Weir has admitted, until it ends. */
export class Run {
  /** Aborted when the caller's own signal is, and when the run may not go on. Pass it to the provider's SDK. */
  readonly signal: AbortSignal
  /** The answer to its start; undefined for a call that goes without a reservation because Weir is away. */
  readonly started: Schema<'StartedRun'> | undefined
  readonly external_id: string
  readonly #parts: RunParts
  #usage: Usage | undefined
  #isUnknown = false
  #isFree = false
  #report: Report = {}
  #end: Promise<Schema<'FinishedRun'> | undefined> | undefined

  constructor(parts: RunParts) {
    this.#parts = parts
    this.signal = parts.signal
    this.started = parts.started
    this.external_id = parts.externalId
  }

  get id(): string | undefined {
    return this.started?.id
  }

  /** The model that was asked for, or that the route chose. */
  get model(): string | undefined {
    return this.started?.model
  }

  /** The output that was granted: no more may be asked of the provider. */
  get max_output_tokens(): number | undefined {
    return this.started?.max_output_tokens
  }

  /** Takes what a provider says that a call used: its `usage` object as it is, or its whole answer. Several calls add up. */
  usage(said: unknown): void {
    const usage = usageOf(said)
    if (usage === undefined) this.#isUnknown = true
    else this.#usage = this.#usage === undefined ? usage : sumOfUsage(this.#usage, usage)
  }

  /** Passes a streamed answer on, and takes its usage at its end. One that is not read to its end is charged what was reserved. */
  async *stream<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event, void, undefined> {
    const meter = new StreamMeter()
    try {
      for await (const event of events) {
        meter.event(event)
        yield event
      }
    } finally {
      const usage = meter.usage()
      if (usage === undefined) this.#isUnknown = true
      else this.#usage = this.#usage === undefined ? usage : sumOfUsage(this.#usage, usage)
    }
  }

  /** Adds fields of the end in the API's own words, such as `cost_usd`, `value_usd` or the `model` that ran; they win over all others. */
  report(fields: Report): void {
    this.#report = { ...this.#report, ...fields }
  }

  /** States that no call was made, or that the provider billed nothing: the run ends at no cost. */
  release(): void {
    this.#isFree = true
  }

  /** Ends the run with what was used: as it was reported, else as the answer says. A second end changes nothing. */
  finish(answer?: unknown): Promise<Schema<'FinishedRun'> | undefined> {
    if (this.#usage === undefined && !this.#isUnknown && answer !== undefined) {
      const usage = usageOf(answer)
      if (usage) this.#usage = usage
    }
    return this.#settle('succeeded')
  }

  /**
   * Ends the run after an error. It costs nothing only where the provider cannot have billed: it refused, or was never reached. Otherwise it
   * costs what is known to have been used, and where nothing is known, what was reserved.
   */
  fail(error: unknown): Promise<Schema<'FinishedRun'> | undefined> {
    const isKnown = this.#usage !== undefined && !this.#isUnknown
    if (!isKnown && !this.#isUnknown && isUnbilled(error)) this.#isFree = true
    else if (isKnown && !isUnbilled(error)) this.#report = { estimated: true, ...this.#report }
    return this.#settle(this.signal.aborted ? 'cancelled' : 'failed')
  }

  #settle(status: Ending['status']): Promise<Schema<'FinishedRun'> | undefined> {
    this.#end ??= this.#parts.settle(this.#endingAs(status))
    return this.#end
  }

  #endingAs(status: Ending['status']): Ending {
    if (this.#isFree) return { status: 'cancelled', cost_usd: '0', ...this.#report }
    const usage = this.#isUnknown ? undefined : this.#usage
    if (usage === undefined && this.#report.cost_usd === undefined && this.#report.input_tokens === undefined)
      this.#parts.usageUnknown()
    return { status, ...usage, ...this.#report }
  }
}
