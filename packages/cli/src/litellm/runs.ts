import { createHash } from 'node:crypto'
import { usdOfNanos } from '../output/amounts.ts'
import type { Json } from '../values.ts'
import { labelOf, timeOf } from './labels.ts'
import { spentNanos } from './nanos.ts'
import type { SpendLog } from './source.ts'

const mostTags = 20
const longestTag = 100
const longestId = 200
const mostTokens = 1_000_000_000
/** The largest charge of one run. */
const mostNanos = 1_000_000_000_000_000n

const tokensOf = (count: number) => Math.max(0, Math.min(mostTokens, Math.trunc(count)))

function tagsOf(given: unknown): string[] {
  if (!Array.isArray(given)) return []
  // Tags that LiteLLM makes itself of every client's name and version.
  const own = given.filter((tag): tag is string => typeof tag === 'string' && !tag.startsWith('User-Agent:'))
  return [...new Set(own.flatMap((tag) => labelOf(tag, longestTag) ?? []))].slice(0, mostTags)
}

/** The name by which the run of a call is known: it stays the same however often it is sent. */
export const externalIdOf = (requestId: string): string =>
  labelOf(requestId) === requestId && requestId.length <= longestId
    ? requestId
    : `litellm-${createHash('sha256').update(requestId).digest('hex')}`

export const modelOf = (log: Pick<SpendLog, 'model' | 'model_group'>): string =>
  labelOf(log.model) ?? labelOf(log.model_group) ?? 'unknown'

/** Returns the run of a call; undefined where there is none that Weir could record. The same log always gives the same run. */
export function runOf(log: SpendLog, keyIds: ReadonlyMap<string, string>): Json | undefined {
  const started = timeOf(log.started)
  const cost = spentNanos(log.spend)
  if (log.request_id === '' || !started || cost > mostNanos) return undefined
  const ended = timeOf(log.ended)
  const [provider, department, customer] = [
    labelOf(log.custom_llm_provider, 100),
    labelOf(log.team_id),
    labelOf(log.end_user),
  ]
  const user = log.user === 'default_user_id' ? undefined : labelOf(log.user)
  const tags = tagsOf(log.request_tags)
  const keyId = keyIds.get(log.api_key)
  return {
    external_id: externalIdOf(log.request_id),
    model: modelOf(log),
    input_tokens: tokensOf(log.prompt_tokens),
    output_tokens: tokensOf(log.completion_tokens),
    cost_usd: usdOfNanos(cost),
    status: log.status === 'failure' ? 'failed' : 'succeeded',
    started_at: started.toISOString(),
    ended_at: (ended && ended >= started ? ended : started).toISOString(),
    ...(provider !== undefined && { provider }),
    ...(department !== undefined && { department_id: department }),
    ...(customer !== undefined && { customer_id: customer }),
    ...(user !== undefined && { user_id: user }),
    ...(tags.length > 0 && { tags }),
    ...(keyId !== undefined && { key_id: keyId }),
    // A key that is not carried over any more.
    ...(keyId === undefined && log.api_key !== '' && { metadata: { litellm_key: log.api_key.slice(0, 16) } }),
  }
}
