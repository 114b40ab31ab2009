import type { ProviderConfig } from '../config-schema.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { type Refusal, refusalWith } from '../refusals/refusals.ts'

/** The end of an attempt at a provider, by what the provider can have billed. */
export type AttemptEnd =
  /** The provider has not seen the request. */
  | { readonly kind: 'not_sent'; readonly message: string }
  /** It has refused to do the work; its answer was passed on, or kept back because another provider is to be asked. */
  | { readonly kind: 'refused'; readonly status: number; readonly isPassedOn: boolean }
  /** It has answered completely, and the answer was metered. */
  | { readonly kind: 'complete' }
  /** It may have done some of the work. */
  | { readonly kind: 'unfinished'; readonly why: 'client_gone' | 'upstream' | 'cut'; readonly message: string }

/** Statuses by which a provider refuses to do any work, and bills nothing. */
export const refusedStatuses = new Set([400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 503, 529])
/** Refusals after which another provider may be asked. */
export const passingStatuses = new Set([429, 503, 529])

/** True for a provider whose 400 says only in its body what it is: a refusal of the gateway's own key, or of a request that is billed. */
export const isAmbiguous = ({ credential, kind }: ProviderConfig, dialect: Dialect): boolean =>
  kind === 'azure' || (dialect.refusesKey !== undefined && !('client' in credential))

/** Returns what a caller reads at the end of a stream that broke off, or was cut because the call may not go on. */
export const breakRefusal = (message: string, isCut: boolean): Refusal =>
  isCut ? refusalWith(403, 'cut', `${message}.`) : refusalWith(502, 'upstream_failed', `${message}.`)
