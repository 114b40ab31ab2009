import type { Usage } from '../dialects/dialect.ts'
import { arrayOf, isObject, parseObject } from '../dialects/fields.ts'
import type { Journal } from '../infra/journal.ts'
import type { Log } from '../infra/log.ts'
import type { Metrics } from '../infra/metrics.ts'
import { refusedOf } from './refused.ts'
import type { Caller, Weir } from './weir.ts'

/** The end of a run, as it is told to Weir. */
export interface Settlement {
  /** The id of the call in the journal, and the `external_id` of its run. */
  readonly externalId: string
  /** Its run; unknown where no answer to its start came. */
  readonly runId: string | undefined
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  /** The provider's own id of the request, by which Weir knows other reports of the call. */
  readonly requestId?: string | undefined
  readonly kind: 'exact' | 'partial' | 'zero' | 'held'
  /** Its usage; without it the run costs what was held, or nothing where it is `zero`. */
  readonly usage?: Usage | undefined
  /** The model that answered where it is another one, and the one that was asked for where the run is not known. */
  readonly model?: string | undefined
}

interface Waiting {
  readonly settlement: Settlement
  /** The caller's key, for runs of organizations that the gateway's own key does not belong to. Not in the journal. */
  readonly callerKey: string | undefined
  usesCallerKey: boolean
  isPlain: boolean
}

/** Errors of a run that the gateway's own key may not settle: it is another organization's, or the key lacks `runs:manage`. */
const notOurs = new Set(['not_found', 'missing_scope', 'forbidden'])

const batchSize = 100
/** The time in which settlements gather: each batch is a transaction that the next calls of its organization wait for. */
const lingerMs = 50
const longestPauseMs = 30_000

/**
 * Settlements on their way to Weir: in batches, again and again until it has taken them. It uses the gateway's own key, so that a caller's
 * key which is revoked in the middle of an answer does not lose what the answer cost; without one, the callers' keys.
 */
export class Settlements {
  readonly #waiting: Waiting[] = []
  #sending: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = 0
  #isOwnKeyRefused = false
  /** Settlements in one request: fewer after a fault, so that one that is at fault stands alone. */
  #limit = batchSize

  private readonly weir: Weir
  private readonly ownKey: () => string | undefined
  private readonly journal: Journal | undefined
  private readonly metrics: Metrics
  private readonly log: Log

  constructor(weir: Weir, ownKey: () => string | undefined, journal: Journal | undefined, metrics: Metrics, log: Log) {
    this.weir = weir
    this.ownKey = ownKey
    this.journal = journal
    this.metrics = metrics
    this.log = log
  }

  get size(): number {
    return this.#waiting.length
  }

  /** The gateway itself, as a caller of Weir; undefined where it has no key. */
  reader(): Caller | undefined {
    const key = this.#isOwnKeyRefused ? undefined : this.ownKey()
    return key === undefined ? undefined : { key, address: '' }
  }

  add(settlement: Settlement, callerKey: string | undefined) {
    this.metrics.settlements.inc({ kind: settlement.kind })
    this.journal?.write({ t: 'settle', id: settlement.externalId, settlement })
    this.#waiting.push({ settlement, callerKey, usesCallerKey: false, isPlain: false })
    this.metrics.waiting.set(this.#waiting.length)
    this.#schedule()
  }

  /** Sends all that waits; returns false where some of it is left after the time. */
  async drain(timeoutMs: number): Promise<boolean> {
    const until = performance.now() + timeoutMs
    while (this.#waiting.length > 0 && performance.now() < until) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      await this.#send()
      if (this.#waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(this.#pauseMs, 200)))
    }
    clearTimeout(this.#timer)
    return this.#waiting.length === 0
  }

  /** Sends what waits of a caller at once; returns false where nothing does. */
  async hurry(callerKey: string): Promise<boolean> {
    const isOwed = () => this.#waiting.some((one) => one.callerKey === callerKey)
    if (!isOwed()) return false
    await this.#send()
    // A batch that was on its way already may have left it out.
    if (isOwed()) await this.#send()
    return true
  }

  #schedule() {
    if (this.#timer !== undefined || this.#waiting.length === 0) return
    const wait = this.#pauseMs > 0 ? this.#pauseMs : this.#waiting.length >= batchSize ? 0 : lingerMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#send().then(() => this.#schedule())
    }, wait)
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined
      this.metrics.waiting.set(this.#waiting.length)
    })
    return this.#sending
  }

  /** Sends one batch: the oldest settlement, and others that go by the same key. */
  async #sendBatch() {
    const [first] = this.#waiting
    if (first === undefined) return
    const key = this.#keyOf(first)
    if (key === undefined) {
      this.#drop(first, 'there is no key to settle it with')
      return
    }
    const batch = this.#waiting.filter((one) => this.#keyOf(one) === key).slice(0, this.#limit)
    const answer = await this.weir.settle(
      key,
      batch.map(({ settlement, isPlain }) => bodyOf(settlement, isPlain)),
    )
    if (answer?.status === 200) {
      this.#pauseMs = 0
      this.#limit = Math.min(batchSize, this.#limit * 2)
      const results = arrayOf(parseObject(answer.body)?.['results'])
      batch.forEach((one, i) => this.#take(one, results[i]))
      return
    }
    const refused = answer && refusedOf(answer)
    this.log.warn(
      { runs: batch.length, status: answer?.status, code: refused?.code, why: refused?.message },
      'settlements wait',
    )
    if (refused?.status === 401 || refused?.status === 403) return this.#withoutKey(key, batch, refused.code)
    if (refused?.status === 422 || refused?.status === 413) return this.#withFault(batch, refused.message)
    this.#pauseMs = Math.min(longestPauseMs, Math.max(100, this.#pauseMs * 2))
  }

  #keyOf({ callerKey, usesCallerKey }: Waiting): string | undefined {
    const own = usesCallerKey || this.#isOwnKeyRefused ? undefined : this.ownKey()
    return own ?? callerKey
  }

  #take(one: Waiting, result: unknown) {
    const error = isObject(result) ? result['error'] : undefined
    if (!isObject(error)) {
      this.#remove(one)
      return
    }
    const { code, message } = error
    if (typeof code === 'string' && notOurs.has(code) && !one.usesCallerKey && one.callerKey !== undefined)
      one.usesCallerKey = true
    else if (code === 'validation_failed' && !one.isPlain) one.isPlain = true
    else this.#drop(one, typeof message === 'string' ? message : 'it was refused')
  }

  /** After a fault settlements go one by one; the one that is at fault is told without its details. */
  #withFault(batch: readonly Waiting[], message: string) {
    const [only] = batch
    if (batch.length > 1) this.#limit = 1
    else if (only?.isPlain === false) only.isPlain = true
    else if (only) this.#drop(only, message)
  }

  #withoutKey(key: string, batch: readonly Waiting[], code: string) {
    if (key === this.ownKey()) {
      this.#isOwnKeyRefused = true
      this.log.error({ code }, 'the settlement key is refused: settling with the callers’ keys')
      return
    }
    for (const one of batch) this.#drop(one, `its key is refused: ${code}`)
  }

  #drop(one: Waiting, why: string) {
    this.log.error({ run: one.settlement.externalId, why }, 'a run could not be settled: it costs what was held')
    this.#remove(one)
  }

  #remove(one: Waiting) {
    const index = this.#waiting.indexOf(one)
    if (index >= 0) this.#waiting.splice(index, 1)
    this.journal?.write({ t: 'done', id: one.settlement.externalId })
  }
}

/** The settlement as `/v1/runs/bulk` takes it. A plain one leaves out what may have no price: the hold is charged instead. */
function bodyOf({ externalId, runId, status, kind, usage, model, requestId }: Settlement, isPlain: boolean): object {
  const base = { ...(runId === undefined ? { external_id: externalId, model } : { run_id: runId }), status }
  if (kind === 'zero') return { ...base, cost_usd: '0' }
  if (usage === undefined || isPlain) return { ...base, estimated: true }
  const named = runId !== undefined && requestId !== undefined && { provider_request_id: requestId }
  return {
    ...base,
    ...named,
    ...usage,
    ...(model !== undefined && { model }),
    ...(kind === 'partial' && { estimated: true }),
  }
}
