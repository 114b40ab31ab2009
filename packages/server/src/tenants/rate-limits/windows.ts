import { type Caller, makerText } from '../../access/identity/identity.ts'
import type { Urgency } from '../../contract/routes.ts'
import { canonicalModel } from '../../money/prices/prices.ts'
import type { RateLimitWindow } from '../../platform/infra/rate-limiter.ts'

/** Windows that a request counts against. */

type Policy = Caller['ratePolicies'][number]

/** Properties by which policies distinguish requests. */
interface Subject {
  readonly routeClass?: Urgency | undefined
  readonly model?: string
}

const readWindow = (limit: number): RateLimitWindow => ({
  name: 'reads-60s',
  limit,
  windowSeconds: 60,
  cost: 1,
  shape: 'sliding',
})

/** Windows by caller and kind of request, on which alone they depend, so they are built once. */
const windowCache = new WeakMap<Caller, Map<string, readonly RateLimitWindow[]>>()

/** Returns the windows charged before the body is read: all that count requests, whatever their model. */
export function requestWindows(
  caller: Caller,
  request: { readonly method: string; readonly routeClass: Urgency | undefined },
  readLimitPerMinute: number | undefined,
): readonly RateLimitWindow[] {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  let cachedWindows = windowCache.get(caller)
  if (!cachedWindows) windowCache.set(caller, (cachedWindows = new Map()))
  const kind = `${isRead} ${request.routeClass}`
  let windows = cachedWindows.get(kind)
  if (!windows) cachedWindows.set(kind, (windows = windowsOf(caller, isRead, request.routeClass, readLimitPerMinute)))
  return windows
}

function windowsOf(
  caller: Caller,
  isRead: boolean,
  routeClass: Urgency | undefined,
  readLimitPerMinute: number | undefined,
): RateLimitWindow[] {
  const windows: RateLimitWindow[] = []
  // The default does not apply to an organization with a row of its own; null in the row means no limit.
  const readLimit = caller.readRpm === undefined && caller.role !== 'operator' ? readLimitPerMinute : caller.readRpm
  if (isRead && typeof readLimit === 'number') windows.push(readWindow(readLimit))
  for (const policy of caller.ratePolicies) {
    if (needsBody(policy)) continue
    const window = windowOf(policy, caller, { routeClass }, 1)
    if (window) windows.push(window)
  }
  return windows
}

/** True when a policy counts what only a body tells. */
export const needsBody = ({ kind, per }: Policy) => kind === 'tokens' || per === 'model'

/** A window of which a call takes one request, or its tokens. */
export interface CallWindow extends RateLimitWindow {
  readonly countsTokens: boolean
}

/** Returns the windows that need the body: tokens, and all that is counted per model. */
export function callWindows(caller: Caller, model: string, tokens: number): CallWindow[] {
  return caller.ratePolicies.filter(needsBody).flatMap((policy) => {
    const countsTokens = policy.kind === 'tokens'
    const window = windowOf(policy, caller, { model }, countsTokens ? tokens : 1)
    return window ? [{ ...window, countsTokens }] : []
  })
}

function windowOf(policy: Policy, caller: Caller, subject: Subject, cost: number): RateLimitWindow | undefined {
  const value = values[policy.per](caller, subject)
  if (value === undefined || (policy.match !== null && matchOf(policy, policy.match) !== value)) return undefined
  return {
    name: nameOf(policy),
    ...(policy.per !== 'org' && { subject: value }),
    limit: policy.amount,
    windowSeconds: policy.window_seconds,
    cost,
    shape: policy.kind === 'quota' ? 'fixed' : 'sliding',
  }
}

/** Returns what a policy applies to: a model by its one name, so that no spelling of it passes by. */
const matchOf = ({ per }: Policy, match: string): string =>
  per === 'model' ? canonicalModel(match, undefined).model : match

const values: Record<Policy['per'], (caller: Caller, subject: Subject) => string | undefined> = {
  org: () => '',
  key: (caller) => makerText(caller),
  route_class: (_caller, subject) => subject.routeClass,
  model: (_caller, { model }) => (model === undefined ? undefined : canonicalModel(model, undefined).model),
}

/** Returns the name of a window. It goes into headers, so free text under `match` is left out. */
const nameOf = ({ kind, per, match, window_seconds }: Policy) =>
  [kind, per, per === 'route_class' ? match : match !== null && 'one', `${window_seconds}s`].filter(Boolean).join('-')
