import type { AllowUpTo, OnUnavailable } from './allowance.ts'
import type { Schema } from './api.ts'
import { Client, type ClientOptions } from './client.ts'
import { isUnavailable, WeirError } from './errors.ts'
import { wait } from './exchange.ts'
import { Lease } from './lease.ts'
import { type Notice, Outbox } from './outbox.ts'
import { type Ending, Run } from './run.ts'
import { MemorySpool, type Spool, type SpooledRequest } from './spool.ts'

export interface WeirOptions extends ClientOptions {
  /** What happens to calls while Weir is away: `deny` where it is left out. */
  readonly onUnavailable?: OnUnavailable | undefined
  /** Keeps what could not be reported: in memory where it is left out; `FileSpool` of `@weir/sdk/node` on disk. */
  readonly spool?: Spool | undefined
  /** Told what no call throws; warns on the console where it is left out. */
  readonly onNotice?: ((notice: Notice) => void) | undefined
  /** The longest time for which the end of a call waits for Weir; after that it is reported in the background. 2 seconds where it is left out. */
  readonly settleWaitMs?: number | undefined
}

/** A call to be admitted, in the words of `POST /v1/runs`. */
export type RunParameters = Omit<Schema<'StartInput'>, 'dry_run' | 'managed'>

export interface RunOptions {
  /** Ends the start, and the call through the signal of its run. */
  readonly signal?: AbortSignal | undefined
  readonly onUnavailable?: OnUnavailable | undefined
  /** False leaves the lease alone: for calls whose end may not be noticed. Their run is charged what was reserved when its lease ends. */
  readonly keepsLease?: boolean | undefined
}

type StartedRun = Schema<'StartedRun'>
type FinishedRun = Schema<'FinishedRun'>

interface LeaseTerms {
  readonly sinceMs: number
  readonly signal: AbortSignal | undefined
  readonly keepsLease: boolean
  readonly mayLapse: boolean
}

const defaultLeaseSeconds = 600

/** Weir for an agent: runs calls under all limits, and everything else that the API can do. */
export class Weir extends Client {
  readonly #options: WeirOptions
  readonly #outbox: Outbox

  constructor(options: WeirOptions = {}) {
    super(options)
    this.#options = options
    this.#outbox = new Outbox(this, options.spool ?? new MemorySpool(), (notice) => this.#notify(notice))
  }

  /**
   * Runs a call under all limits: reserves what it can cost, or throws what refuses it; keeps its lease; settles it at what it used, which it
   * reads from the provider's answer where `run.usage` was not told; ends it where it throws.
   */
  async run<Answer>(
    parameters: RunParameters,
    call: (run: Run) => Promise<Answer> | Answer,
    options: RunOptions = {},
  ): Promise<Answer> {
    const run = await this.start(parameters, options)
    let answer: Answer
    try {
      answer = await call(run)
    } catch (error) {
      await run.fail(error)
      throw faultOf(run, error)
    }
    await run.finish(answer)
    return answer
  }

  /** Starts a run whose end somebody else says, with `finish` or `fail`: for answers that are read after the call has returned. */
  async start(parameters: RunParameters, options: RunOptions = {}): Promise<Run> {
    const { signal, onUnavailable = this.#options.onUnavailable ?? 'deny' } = options
    const externalId = parameters.external_id ?? `sdk-${crypto.randomUUID()}`
    const sinceMs = performance.now()
    try {
      const body = { ...parameters, external_id: externalId }
      const { data } = await this.sendNamed<StartedRun>('/v1/runs', body, crypto.randomUUID(), { signal })
      const { keepsLease = true } = options
      return this.#startedRun(data, parameters, { sinceMs, signal, keepsLease, mayLapse: onUnavailable !== 'deny' })
    } catch (error) {
      const isGivenUp = signal?.aborted === true
      if (!isGivenUp && !isUnavailable(error)) throw error
      try {
        if (isGivenUp || onUnavailable === 'deny') throw error
        return await this.#unreservedRun(externalId, parameters, onUnavailable, error, signal)
      } catch (refusal) {
        if (mayHaveStarted(error) && parameters.external_id === undefined) this.#abandon(externalId, parameters)
        throw refusal
      }
    }
  }

  /** Reports what still waits in the spool; false where some of it is left after the time. */
  flush({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<boolean> {
    return this.#outbox.flush(timeoutMs)
  }

  /** Ends the work in the background, after a last attempt to report what waits. */
  async close(options?: { readonly timeoutMs?: number }): Promise<boolean> {
    const isEmpty = await this.flush(options)
    this.#outbox.close()
    return isEmpty
  }

  #startedRun(started: StartedRun, parameters: RunParameters, { signal, keepsLease, ...times }: LeaseTerms): Run {
    const { id: runId, status } = started
    if (status !== 'running')
      throw new WeirError({
        code: 'run_ended',
        message: `The run ${runId} has ended before (${status}).`,
        details: { run_id: runId, status },
      })
    const leaseSeconds = parameters.lease_seconds ?? defaultLeaseSeconds
    const path = `/v1/runs/${runId}`
    const extend = (stop: AbortSignal) =>
      this.send('POST', `${path}/extend`, { body: { lease_seconds: leaseSeconds }, signal: stop, maxRetries: 0 })
    const lease = keepsLease ? new Lease({ runId, leaseSeconds, extend, ...times }) : undefined
    const settle = async (ending: Ending) => {
      lease?.stop()
      const alternatives = [{ code: 'validation_failed', body: { status: ending.status } }]
      const request = { ...this.#request(`${path}/finish`, ending), alternatives }
      const posted = this.#outbox.post(request) as Promise<FinishedRun | undefined>
      const isIn = new AbortController()
      const patience = wait(this.#options.settleWaitMs ?? 2_000, isIn.signal).catch(() => undefined)
      return Promise.race([posted, patience.then(() => undefined)]).finally(() => isIn.abort())
    }
    return this.#run(started.external_id ?? runId, started, settle, signal, lease?.signal)
  }

  /** A call without a reservation. It is on record before it begins, at the most that it can cost, so that it is not lost with this process. */
  async #unreservedRun(
    externalId: string,
    parameters: RunParameters,
    allowance: AllowUpTo,
    error: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Run> {
    const { max_output_tokens, input_tokens, estimated_cost_usd, model } = parameters
    const refuse = (reason: 'unbounded' | 'spool_full', message: string) =>
      new WeirError({ code: 'allowance_exhausted', message, details: { reason }, cause: error })
    const isBounded =
      estimated_cost_usd !== undefined || (input_tokens !== undefined && max_output_tokens !== undefined)
    if (!isBounded || model === undefined)
      throw refuse('unbounded', 'Weir is away, and nothing bounds what this call costs.')
    await this.#outbox.ready.catch(() => undefined)
    const id = crypto.randomUUID()
    this.#outbox.unreserved.admit(id, allowance, estimated_cost_usd, error)
    const most: Ending =
      estimated_cost_usd === undefined
        ? { status: 'failed', input_tokens: input_tokens ?? 0, output_tokens: max_output_tokens ?? 0, estimated: true }
        : { status: 'failed', cost_usd: estimated_cost_usd, estimated: true }
    const leaseMs = (parameters.lease_seconds ?? defaultLeaseSeconds) * 1_000
    const started_at = new Date().toISOString()
    const requestOf = (ending: Ending): SpooledRequest => ({
      ...this.#recording(id, externalId, parameters, { started_at, ...ending }),
      unreserved_usd: estimated_cost_usd ?? '0',
    })
    const hold = () => this.#outbox.hold({ ...requestOf(most), due_at: Date.now() + leaseMs })
    if (!(await hold())) {
      this.#outbox.unreserved.recorded(id)
      throw refuse('spool_full', 'Weir is away, and there is no room to note this call.')
    }
    let renewed: Promise<unknown> = Promise.resolve()
    const renewal = setInterval(() => {
      renewed = hold()
    }, leaseMs / 2)
    this.#notify({ type: 'failed_open', external_id: externalId, error })
    const settle = async (ending: Ending) => {
      clearInterval(renewal)
      await renewed
      const isMeasured = ending.cost_usd !== undefined || ending.input_tokens !== undefined
      const request = requestOf(isMeasured ? ending : { ...most, status: ending.status })
      await this.#outbox.hold(request)
      void this.#outbox.post(request)
      return undefined
    }
    return this.#run(externalId, undefined, settle, signal, undefined)
  }

  #run(
    externalId: string,
    started: StartedRun | undefined,
    settle: (ending: Ending) => Promise<FinishedRun | undefined>,
    signal: AbortSignal | undefined,
    loss: AbortSignal | undefined,
  ): Run {
    const signals = [signal, loss].filter((one) => one !== undefined)
    return new Run({
      externalId,
      started,
      settle,
      signal: AbortSignal.any(signals),
      usageUnknown: () => this.#notify({ type: 'usage_unknown', external_id: externalId }),
    })
  }

  /** Ends a run at no cost whose start had no answer: under a name that nobody else uses, so it is no other run. */
  #abandon(externalId: string, parameters: RunParameters) {
    const request = this.#recording(crypto.randomUUID(), externalId, parameters, { status: 'cancelled', cost_usd: '0' })
    void this.#outbox.post(request, 'cleanup')
  }

  /** The record of a call that may have been started or not: where it was, this is its end. */
  #recording(
    id: string,
    externalId: string,
    parameters: RunParameters,
    ending: Ending & { started_at?: string },
  ): SpooledRequest {
    const run = { ...labelsOf(parameters), ...ending, external_id: externalId }
    // It has happened: no limit is to refuse it. A key without `runs:import` may only ask.
    const body = { runs: [run], enforce: false }
    return {
      ...this.#request('/v1/runs/bulk', body),
      id,
      alternatives: [{ code: 'missing_scope', body: { runs: [run] } }],
    }
  }

  #request(path: string, body: object): SpooledRequest {
    return { id: crypto.randomUUID(), base_url: this.baseUrl, path, body: { ...body }, due_at: Date.now() }
  }

  /** Tells what happened; a fault of whoever is told is no fault of the call. */
  #notify(notice: Notice) {
    try {
      if (this.#options.onNotice) this.#options.onNotice(notice)
      else console.warn(`weir: ${notice.type}`, 'error' in notice ? notice.error : notice.external_id)
    } catch (error) {
      console.error('weir: onNotice failed', error)
    }
  }
}

const labels = [
  'model',
  'provider',
  'service_tier',
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
  'chain_id',
  'parent_run_id',
  'operation',
  'action',
  'tags',
  'metadata',
] as const satisfies readonly (keyof RunParameters)[]

/** Fields of a start that the record of its call has too. */
const labelsOf = (parameters: RunParameters): object =>
  Object.fromEntries(labels.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])))

/** True where Weir may have started a run without being heard. */
const mayHaveStarted = (error: unknown): boolean =>
  !(error instanceof WeirError) || error.code !== 'connection_failed' || error.details.may_have_arrived

/** The error of a run that may not go on is why it may not; what the provider's SDK made of that is its cause. */
function faultOf(run: Run, error: unknown): unknown {
  const { reason } = run.signal
  if (!run.signal.aborted || !(reason instanceof WeirError) || reason === error) return error
  const { code, message, details } = reason
  return new WeirError({ code, message, details, cause: error })
}
