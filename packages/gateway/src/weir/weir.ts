import { setTimeout as pause } from 'node:timers/promises'
import { arrayOf, isObject, parseObject } from '../dialects/fields.ts'
import type { Clock } from '../infra/clock.ts'
import type { components } from './api-types.ts'
import { type Refused, refusedOf } from './refused.ts'
import type { Transport, WeirAnswer } from './transport.ts'

export type RunStart = components['schemas']['StartInput']

/** A run that Weir has admitted. */
export interface Started {
  readonly runId: string
  readonly decisionId: string | undefined
  readonly reservedUsd: string
  /** The output that was granted, of all answers together. */
  readonly maxOutputTokens: number
  readonly model: string
  readonly provider: string | undefined
}

/** The caller, as Weir is to see it. */
export interface Caller {
  readonly key: string
  readonly address: string
}

/** Facts about a key, as Weir knows it. */
export interface KeyFacts {
  readonly orgId: string
  readonly scopes: readonly string[]
}

/** A run that exists already. */
export interface KnownRun {
  readonly id: string
  readonly status: string
  readonly costUsd: string | undefined
  readonly costBasis: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
}

export type StartOutcome =
  | { readonly kind: 'started'; readonly run: Started }
  | { readonly kind: 'refused'; readonly refused: Refused }
  /** No answer came: whether the run exists is not known. */
  | { readonly kind: 'unknown' }

const attempts = 2
const pauseMs = 50

/** The client of Weir. Calls are started with the caller's own key, so what Weir allows is what it would allow the caller itself. */
export class Weir {
  private readonly send: Transport
  private readonly clock: Clock
  private readonly timeoutMs: number

  constructor(send: Transport, clock: Clock, timeoutMs: number) {
    this.send = send
    this.clock = clock
    this.timeoutMs = timeoutMs
  }

  /** Starts a run. A start that is repeated because no answer came is the same run, by its `external_id`. */
  async start(caller: Caller, run: RunStart): Promise<StartOutcome> {
    const body = JSON.stringify(run)
    const deadline = this.clock.monotonicMs() + this.timeoutMs
    for (let attempt = 1; ; attempt += 1) {
      const left = deadline - this.clock.monotonicMs()
      const answer = left <= 0 ? undefined : await this.#post(caller, '/v1/runs', body, left / (attempts - attempt + 1))
      if (answer?.status === 201) return { kind: 'started', run: startedOf(answer) }
      const refused = answer && refusedOf(answer)
      if (refused && refused.status < 500) return { kind: 'refused', refused }
      if (refused && refused.code !== 'service_unavailable') return { kind: 'refused', refused }
      if (attempt < attempts && left > 0) {
        await pause(pauseMs)
        continue
      }
      return refused ? { kind: 'refused', refused } : { kind: 'unknown' }
    }
  }

  /** Extends the lease of a run; returns the status of the answer, undefined where none came. */
  async extend(caller: Caller, runId: string, leaseSeconds: number): Promise<number | undefined> {
    const body = JSON.stringify({ lease_seconds: leaseSeconds })
    return (await this.#post(caller, `/v1/runs/${runId}/extend`, body, this.timeoutMs))?.status
  }

  /** Checks a key without doing anything; returns what speaks against it. */
  async check(caller: Caller): Promise<Refused | undefined | 'unknown'> {
    const answer = await this.#get(caller, '/v1/me')
    if (answer === undefined) return 'unknown'
    return answer.status === 200 ? undefined : refusedOf(answer)
  }

  /** Asks whose key it is; `refused` where Weir does not take it, `unknown` where no answer came. */
  async keyFacts(caller: Caller): Promise<KeyFacts | 'refused' | 'unknown'> {
    const answer = await this.#get(caller, '/v1/me')
    if (answer === undefined || answer.status >= 500 || answer.status === 429) return 'unknown'
    const { org_id, scopes } = (answer.status === 200 ? parseObject(answer.body) : undefined) ?? {}
    if (typeof org_id !== 'string') return 'refused'
    return { orgId: org_id, scopes: arrayOf(scopes).filter((scope) => typeof scope === 'string') }
  }

  /** Finds a run by its `external_id`; undefined where there is none that the key may see. */
  async find(caller: Caller | undefined, externalId: string): Promise<KnownRun | undefined> {
    if (caller === undefined) return undefined
    const answer = await this.#get(caller, `/v1/runs?external_id=${encodeURIComponent(externalId)}`)
    const [run] = answer?.status === 200 ? arrayOf(parseObject(answer.body)?.['data']) : []
    return isObject(run) ? knownRunOf(run) : undefined
  }

  /** Settles runs in bulk; returns the answer, undefined where none came. */
  settle(key: string, runs: readonly object[]): Promise<WeirAnswer | undefined> {
    const body = JSON.stringify({ mode: 'partial', runs })
    return this.#post({ key, address: '' }, '/v1/runs/bulk', body, 30_000)
  }

  async #get(caller: Caller, path: string): Promise<WeirAnswer | undefined> {
    try {
      return await this.send({ method: 'GET', path, headers: headersOf(caller), timeoutMs: this.timeoutMs })
    } catch {
      return undefined
    }
  }

  async #post(caller: Caller, path: string, body: string, timeoutMs: number): Promise<WeirAnswer | undefined> {
    try {
      return await this.send({
        method: 'POST',
        path,
        headers: { ...headersOf(caller), 'content-type': 'application/json' },
        body,
        timeoutMs,
      })
    } catch {
      return undefined
    }
  }
}

const headersOf = ({ key, address }: Caller): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(address !== '' && { 'x-forwarded-for': address }),
})

const knownRunOf = (run: Readonly<Record<string, unknown>>): KnownRun => ({
  id: String(run['id']),
  status: String(run['status']),
  costUsd: typeof run['cost_usd'] === 'string' ? run['cost_usd'] : undefined,
  costBasis: typeof run['cost_basis'] === 'string' ? run['cost_basis'] : undefined,
  metadata: isObject(run['metadata']) ? run['metadata'] : {},
})

function startedOf({ body }: WeirAnswer): Started {
  const run = parseObject(body) ?? {}
  return {
    runId: String(run['id']),
    decisionId: typeof run['decision_id'] === 'string' ? run['decision_id'] : undefined,
    reservedUsd: String(run['reserved_usd']),
    maxOutputTokens: Number(run['max_output_tokens']),
    model: String(run['model']),
    provider: typeof run['provider'] === 'string' ? run['provider'] : undefined,
  }
}
