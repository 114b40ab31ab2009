import { Temporal } from 'temporal-polyfill'
import { createExpressionEnvironment } from '../expressions/expressions.ts'
import { modelBaseOf, providerBaseOf, providerIn, type RunAttempt } from './attempt.ts'

/**
 * The variables that rules can read, as `/v1` names them. They are created once per attempt; costly ones are computed on first
 * use.
 */

const nanoPerUsd = 1e9
const usd = (nano: bigint): number => Number(nano) / nanoPerUsd

class RunVariables {
  readonly model: string
  readonly operation: string
  readonly action: string
  readonly workflow_id: string
  readonly deployment_id: string
  readonly department_id: string
  readonly user_id: string
  readonly tags: readonly string[]
  readonly #attempt: RunAttempt
  #metadata: ReadonlyMap<string, string | number | boolean> | null = null

  constructor(attempt: RunAttempt) {
    this.model = attempt.model
    this.operation = attempt.operation
    this.action = attempt.action
    this.workflow_id = attempt.workflowId
    this.deployment_id = attempt.deploymentId
    this.department_id = attempt.departmentId
    this.user_id = attempt.userId
    this.tags = attempt.tags
    this.#attempt = attempt
  }

  /** As sent; where it was not, what the name of the model says. */
  get provider(): string {
    return providerIn(this.#attempt)
  }

  get model_base(): string {
    return modelBaseOf(this.#attempt)
  }

  get provider_base(): string {
    return providerBaseOf(this.#attempt)
  }

  get input_tokens(): bigint {
    return BigInt(this.#attempt.inputTokens)
  }

  get max_output_tokens(): bigint {
    return BigInt(this.#attempt.maxOutputTokens)
  }

  get estimated_cost_usd(): number {
    return usd(this.#attempt.estimatedNano)
  }

  get has_input(): boolean {
    return this.#attempt.hasInput === true
  }

  // A Map, so that keys of the prototype are not found in it.
  get metadata(): ReadonlyMap<string, string | number | boolean> {
    this.#metadata ??= new Map(Object.entries(this.#attempt.metadata))
    return this.#metadata
  }
}

class KeyVariables {
  readonly id: string
  readonly role: string
  readonly scopes: readonly string[]

  constructor({ id, role, scopes }: RunAttempt['key']) {
    this.id = id
    this.role = role
    this.scopes = scopes
  }
}

class CustomerVariables {
  readonly id: string

  constructor(id: string) {
    this.id = id
  }
}

class ChainVariables {
  readonly id: string
  readonly depth: bigint
  readonly cost_usd: number

  constructor({ id, depth, costNano }: RunAttempt['chain']) {
    this.id = id
    this.depth = BigInt(depth)
    this.cost_usd = usd(costNano)
  }
}

export class OrgVariables {
  readonly id: string

  constructor(id: string) {
    this.id = id
  }
}

/** The time of an attempt, truncated to the minute, so that equal attempts within a minute are judged equally. */
class TimeVariables {
  readonly #local: Date

  constructor(timezone: string, atMs: number) {
    this.#local = new Date(atMs + offsetMsAt(timezone, atMs))
  }

  get hour(): bigint {
    return BigInt(this.#local.getUTCHours())
  }

  get minute(): bigint {
    return BigInt(this.#local.getUTCMinutes())
  }

  /** Monday is 1. */
  get weekday(): bigint {
    return BigInt(this.#local.getUTCDay() || 7)
  }

  get day(): bigint {
    return BigInt(this.#local.getUTCDate())
  }

  get month(): bigint {
    return BigInt(this.#local.getUTCMonth() + 1)
  }

  get year(): bigint {
    return BigInt(this.#local.getUTCFullYear())
  }

  get date(): string {
    return this.#local.toISOString().slice(0, 10)
  }
}

/** A time zone's offset from UTC, with the interval between two clock changes in which it holds. */
interface Offset {
  readonly fromMs: number
  readonly untilMs: number
  readonly offsetMs: number
}

// Bounded without eviction: time zones are few, and their names are validated where they are set.
const offsets = new Map<string, Offset>()

function offsetMsAt(timezone: string, atMs: number): number {
  const known = offsets.get(timezone)
  if (known && atMs >= known.fromMs && atMs < known.untilMs) return known.offsetMs
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timezone)
  const offset = {
    fromMs: atMs,
    untilMs: now.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: now.offsetNanoseconds / 1e6,
  }
  // Starts one nanosecond later, so that an instant exactly at a change finds that change.
  const begun = now.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds
  offsets.set(timezone, { ...offset, fromMs: begun ?? Number.NEGATIVE_INFINITY })
  return offset.offsetMs
}

export class AttemptVariables {
  readonly org: OrgVariables
  readonly run: RunVariables
  readonly #attempt: RunAttempt
  readonly #timezone: string
  #key: KeyVariables | null = null
  #customer: CustomerVariables | null = null
  #chain: ChainVariables | null = null
  #time: TimeVariables | null = null

  constructor(org: OrgVariables, timezone: string, attempt: RunAttempt) {
    this.org = org
    this.run = new RunVariables(attempt)
    this.#attempt = attempt
    this.#timezone = timezone
  }

  get key(): KeyVariables {
    this.#key ??= new KeyVariables(this.#attempt.key)
    return this.#key
  }

  get customer(): CustomerVariables {
    this.#customer ??= new CustomerVariables(this.#attempt.customerId)
    return this.#customer
  }

  get chain(): ChainVariables {
    this.#chain ??= new ChainVariables(this.#attempt.chain)
    return this.#chain
  }

  get time(): TimeVariables {
    this.#time ??= new TimeVariables(this.#timezone, this.#attempt.atMs)
    return this.#time
  }
}

const text = (maxLength: number) => ({ kind: 'string', maxLength }) as const
const name = (maxLength: number) => ({ ...text(maxLength), isName: true }) as const
const int = { kind: 'int' } as const
const double = { kind: 'double' } as const

/** The environment that rules are type-checked against when they are saved. The sizes are those that `/v1` accepts. */
export const ruleEnvironment = createExpressionEnvironment({
  run: {
    type: RunVariables,
    fields: {
      model: text(200),
      model_base: text(200),
      provider: text(100),
      provider_base: text(100),
      operation: name(100),
      action: name(200),
      workflow_id: name(200),
      deployment_id: name(200),
      department_id: name(200),
      user_id: name(200),
      input_tokens: int,
      max_output_tokens: int,
      estimated_cost_usd: double,
      has_input: { kind: 'bool' },
      tags: { kind: 'strings', maxItems: 20, maxLength: 100, isName: true },
      metadata: { kind: 'values', maxEntries: 50, maxKeyLength: 100, maxLength: 1_000 },
    },
  },
  org: { type: OrgVariables, fields: { id: text(40) } },
  key: {
    type: KeyVariables,
    fields: { id: text(40), role: text(20), scopes: { kind: 'strings', maxItems: 50, maxLength: 40 } },
  },
  customer: { type: CustomerVariables, fields: { id: name(200) } },
  chain: { type: ChainVariables, fields: { id: text(200), depth: int, cost_usd: double } },
  time: {
    type: TimeVariables,
    fields: { hour: int, minute: int, weekday: int, day: int, month: int, year: int, date: text(10) },
  },
})
