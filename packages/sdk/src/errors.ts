import type { components } from './api-types.ts'

type Schemas = components['schemas']
interface Envelope {
  error: { code: string; message: string; details: object }
}
/** The generic envelope of the document, whose code is any text: it is no entry of the catalogue. */
type EntryName = {
  [Name in keyof Schemas]: Schemas[Name] extends Envelope
    ? string extends Schemas[Name]['error']['code']
      ? never
      : Name
    : never
}[keyof Schemas]
type CodeOf<Name extends EntryName> = Schemas[Name] extends { error: { code: infer Code extends string } }
  ? Code
  : never

/** The catalogue of `/v1`: the details of each error by its code, from `openapi.json`. */
export type ApiErrorDetails = {
  [Name in EntryName as CodeOf<Name>]: Schemas[Name] extends { error: { details: infer Details } } ? Details : never
}

/** Errors that this library raises itself, beside those that Weir answers. */
export interface ClientErrorDetails {
  /** No answer came. */
  connection_failed: {
    readonly attempts: number /** The request may have been carried out. */
    readonly may_have_arrived: boolean
  }
  /** No answer came in time. The request may have been carried out. */
  timed_out: { readonly attempts: number; readonly timeout_ms: number }
  /** Something else answered, such as a proxy in between. */
  unrecognized_answer: { readonly body: string }
  /** A code that is newer than this library. */
  unrecognized_code: { readonly code: string; readonly details: Readonly<Record<string, unknown>> }
  /** The run may not go on: its lease could not be kept. `signal` of the run is aborted with this. */
  lease_lost: { readonly run_id: string; readonly reason: 'refused' | 'lapsed' }
  /** A run of this `external_id` has ended before: its call was made. */
  run_ended: { readonly run_id: string; readonly status: string }
  /** Weir is away, and the calls that may go without it are used up, or nothing bounds what this one costs. */
  allowance_exhausted: { readonly reason: 'calls' | 'usd' | 'unbounded' | 'spool_full' }
  /** A request that may cost money, in a form that no hold can be made for. */
  unguarded_call: { readonly path: string }
  /** A webhook that was not signed with the secret, or too long ago. */
  webhook_not_genuine: { readonly reason: 'missing_header' | 'no_match' | 'outside_tolerance' }
  /** An option that is missing or impossible. */
  invalid_option: { readonly option: string }
}

export type ApiErrorCode = keyof ApiErrorDetails
export type ErrorDetails = ApiErrorDetails & ClientErrorDetails
export type ErrorCode = keyof ErrorDetails

export interface ErrorFacts<Code extends ErrorCode> {
  readonly code: Code
  readonly message: string
  readonly details: ErrorDetails[Code]
  /** The status of the answer; undefined where none came. */
  readonly status?: number | undefined
  /** `Retry-After` of the answer, in seconds. */
  readonly retryAfter?: number | undefined
  /** The id by which Weir's logs know the request. */
  readonly traceId?: string | undefined
  readonly cause?: unknown
}

class ErrorWithCode<Code extends ErrorCode> extends Error {
  override readonly name = 'WeirError'
  readonly code: Code
  readonly details: ErrorDetails[Code]
  readonly status: number | undefined
  readonly retryAfter: number | undefined
  readonly traceId: string | undefined

  constructor(facts: ErrorFacts<Code>) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.details = facts.details
    this.status = facts.status
    this.retryAfter = facts.retryAfter
    this.traceId = facts.traceId
  }
}

/** An error with one code; `WeirErrorWith<'budget_exceeded'>` has the details of that code. */
export type WeirErrorWith<Code extends ErrorCode> = ErrorWithCode<Code>

/** Every error of this library, as a union that `switch (error.code)` tells apart. */
export type WeirError = { [Code in ErrorCode]: ErrorWithCode<Code> }[ErrorCode]

/** The class of all errors of this library: `error instanceof WeirError` narrows to the union. */
export const WeirError = ErrorWithCode as unknown as {
  new <Code extends ErrorCode>(facts: ErrorFacts<Code>): ErrorWithCode<Code>
  [Symbol.hasInstance](value: unknown): value is WeirError
}

/** Codes by which a limit or a rule says no to a call. */
const refusals = [
  'spend_cap_exceeded',
  'chain_budget_exceeded',
  'budget_exceeded',
  'quota_exhausted',
  'credits_exhausted',
  'plan_limit_exceeded',
  'concurrency_exceeded',
  'frozen',
  'policy_blocked',
  'policy_approval_required',
  'content_safety_blocked',
  'no_model_passes_eval',
] as const satisfies readonly ApiErrorCode[]
export type RefusalCode = (typeof refusals)[number]

/** True for an error by which a limit or a rule refused a call: nothing was spent, and the same call again will not help. */
export const isRefusal = (error: unknown): error is Extract<WeirError, { code: RefusalCode }> =>
  error instanceof WeirError && (refusals as readonly string[]).includes(error.code)

/** True where Weir could not be asked: a matter of `onUnavailable`, and no decision about the call. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof WeirError &&
  (error.code === 'connection_failed' ||
    error.code === 'timed_out' ||
    error.code === 'service_unavailable' ||
    (error.code === 'unrecognized_answer' && (error.status ?? 0) >= 500))

/** Codes whose request may be sent again, as it is, with the same key. Never decided by a status. */
export const isRetryable = (error: WeirError): boolean =>
  isUnavailable(error) || error.code === 'rate_limited' || error.code === 'idempotency_key_processing'
