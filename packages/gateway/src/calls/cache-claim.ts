import type { CacheCreation, Usage } from '../dialects/dialect.ts'
import type { Bound } from './bound.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import type { RatedModel } from './learned-rates.ts'

/** Models that are cached only where a request says so; those of others may be cached unasked, and billed for it. */
const cachedWhenAsked = /(^|[/.])claude-/

/**
 * Returns the longest-lived cache that a call can write its input to, as Weir is to hold it; undefined where that may be any. A field that is not
 * known may ask for one.
 */
export function cacheClaim(
  { memory }: GatewayParts,
  { dialect, body }: IncomingCall,
  rated: RatedModel,
  { kind }: Bound,
): CacheCreation | undefined {
  if (kind === 'soft' || !cachedWhenAsked.test(rated.model) || !memory.trusts(rated)) return undefined
  const longest = dialect.cacheCreation?.(body.value, body.text)
  return longest === '1h' ? undefined : longest
}

/** Returns the tokens of an answer that were written to a cache which its request had not asked for. */
export function writtenUnasked({ cacheCreation }: Bound, usage: Usage): number {
  if (cacheCreation === 'none') return usage.cache_creation_input_tokens ?? 0
  return cacheCreation === '5m' ? (usage.cache_creation_1h_input_tokens ?? 0) : 0
}
