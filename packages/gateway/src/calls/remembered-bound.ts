import type { Conversation, RequestHeaders, Usage } from '../dialects/dialect.ts'
import type { Model } from '../models/models.ts'
import { forwardedHeaders } from '../upstreams/headers.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { valueBound } from '../values/text-bound.ts'
import type { Bound } from './bound.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { ratedModel } from './learned-rates.ts'
import type { Reader } from './prefix-memory.ts'

/** Additions to a length that was billed, as to one that a provider has counted: its own prompt may say what day it is. */
const margin = 1.02
const extraTokens = 64
/** More bytes than a token of any text has on average. Who bills fewer tokens leaves some out of its count. */
const mostBytesOfToken = 16

/** Headers that say who calls and with what, and change nothing in what a model reads. Any other one may. */
const harmless = new Set(
  `user-agent accept accept-language content-type content-length traceparent tracestate x-request-id x-client-request-id
  x-app x-claude-code-session-id session-id session_id thread-id thread_id originator priority dnt
  anthropic-dangerous-direct-browser-access`.split(/\s+/),
)
const isHarmless = (name: string) => harmless.has(name) || name.startsWith('x-stainless-') || name.startsWith('sec-')

/**
 * Returns a tighter bound of a call that goes on with a conversation: as long as its beginning was when the provider billed it, and the bytes of
 * what is new. Undefined where nothing is known, or where the call points to what may be longer the next time.
 */
export function rememberedBound(
  { memory, config }: GatewayParts,
  call: IncomingCall,
  model: Model,
  upstream: Upstream,
  bound: Bound,
): Bound | undefined {
  const isOff = (config.memory ?? 'near_limit') === 'off' || model.bounds === 'hard'
  const conversation = isOff || bound.kind !== 'hard' ? undefined : conversationIn(call)
  if (conversation === undefined) return undefined
  const known = memory.find(readerOf(call, model, upstream), conversation)
  if (known === undefined) return undefined
  const fresh = conversation.messages.slice(known.messages)
  const inputTokens = Math.ceil(known.tokens * margin) + extraTokens + (fresh.length === 0 ? 0 : valueBound(fresh))
  return inputTokens < bound.inputTokens ? { ...bound, kind: 'counted', isRemembered: true, inputTokens } : undefined
}

/** Remembers how long the input of a call was, by a complete answer of the very model that was asked for. */
export function remember(
  { memory, config }: GatewayParts,
  call: IncomingCall,
  { model, upstream, bound }: { readonly model: Model; readonly upstream: Upstream; readonly bound: Bound },
  usage: Usage,
  answeredBy: string | undefined,
) {
  if (config.memory === 'off' || bound.kind === 'soft' || answeredBy === undefined) return
  if (config.memory !== 'always' && !memory.watches(call.caller.key)) return
  if (![model.name, upstream.pricedName(model.name)].some((name) => isSameModel(name, answeredBy))) return
  // What was billed beside the messages hides how long they were.
  if (usage.units !== undefined || usage.parts !== undefined) return
  if (usage.input_tokens * mostBytesOfToken < call.body.size) return
  const conversation = conversationIn(call)
  if (conversation) memory.teach(readerOf(call, model, upstream), conversation, usage.input_tokens, answeredBy)
}

/** The conversation of a call that is all text, and all in the request. */
function conversationIn({ dialect, asked, body }: IncomingCall): Conversation | undefined {
  const { images, references, serverTools, unknown, unpriced } = asked
  const isPlain = images === 0 && [references, serverTools, unknown, unpriced].every((list) => list.length === 0)
  return isPlain ? dialect.conversation?.(body.value) : undefined
}

const readerOf = ({ caller, dialect, headers }: IncomingCall, model: Model, upstream: Upstream): Reader => ({
  ...ratedModel({ upstream, model }),
  key: caller.key,
  way: [dialect.name, lengthHeaders(headers)],
})

const lengthHeaders = (headers: RequestHeaders) =>
  Object.entries(forwardedHeaders(headers, false))
    .filter(([name]) => !isHarmless(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

/** True where one name means the model of another: an alias, or one without the date that the other has. */
export const isSameModel = (asked: string, answered: string): boolean => plainName(asked) === plainName(answered)

const plainName = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(?:[a-z]+\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '')
