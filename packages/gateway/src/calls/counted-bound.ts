import { isObject, parseObject, tokensAt } from '../dialects/fields.ts'
import type { Model } from '../models/models.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { applyEdits } from '../values/json-text.ts'
import type { Bound } from './bound.ts'
import type { IncomingCall } from './incoming-call.ts'

const timeoutMs = 5_000
/** Providers call their count an estimate: a little is added to it. */
const margin = 1.02
const extraTokens = 64

/** A file that was given to Google, which keeps it as it is. */
const keptFile = /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/files\//

/** True where content is at an address: there may be more of it when the provider fetches it again. */
function hasAddress(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAddress)
  if (!isObject(value)) return false
  const addresses = [
    ...['image_url', 'file_url', 'fileUri', 'file_uri'].map((field) => value[field]),
    ...(value['type'] === 'url' ? [value['url']] : []),
  ]
  const isElsewhere = (text: unknown) => typeof text === 'string' && !text.startsWith('data:') && !keptFile.test(text)
  return addresses.some(isElsewhere) || Object.values(value).some(hasAddress)
}

/**
 * Returns a tighter bound of a call, with the input as the provider itself counts it; undefined where it cannot, or where that is no tighter.
 * It takes a request of its own, so it is asked only for a call that would be refused.
 */
export async function countedBound(
  call: IncomingCall,
  model: Model,
  upstream: Upstream,
  bound: Bound,
): Promise<Bound | undefined> {
  const request = call.dialect.countRequest?.({ ...call.body.value, model: model.name })
  if (request === undefined || bound.kind !== 'hard' || hasAddress(request.body)) return undefined
  try {
    const target = { path: request.path, query: '', model: model.name, stream: false }
    const edits = upstream.edits(request.body, target, call.headers)
    const body = Buffer.from(applyEdits(JSON.stringify(request.body), edits))
    const asked = await upstream.requestOf(target, call.headers, body)
    const answer = await upstream.pool.request({ ...asked, signal: AbortSignal.timeout(timeoutMs) })
    const counted = tokensAt(parseObject(await answer.body.text()), request.answerField ?? 'input_tokens')
    if (answer.statusCode !== 200 || counted === undefined) return undefined
    const inputTokens = Math.ceil(counted * margin) + extraTokens
    return inputTokens < bound.inputTokens ? { ...bound, kind: 'counted', inputTokens } : undefined
  } catch {
    return undefined
  }
}
