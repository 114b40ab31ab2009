import { dayMs } from '../../values/time.ts'
import type { PageApi, Schemas } from '../api/api.ts'
import { type BadgeKind, dimensions, dimensionText, type IconName, type Times } from '../components/components.ts'
import { part, type Visit } from '../frame/frame.ts'

type Key = Schemas['Key']

/** State of a key, in the words of the console. */
export interface KeyState {
  readonly text: string
  readonly badge?: BadgeKind
  readonly icon?: IconName
}

const soonDays = 7
const unusedDays = 90

const daysUntil = (at: string, now: Date) => Math.ceil((Date.parse(at) - now.getTime()) / dayMs)
/** Scopes that spend: a key with one of them should be pinned to what it spends for. */
const spending = new Set(['edge:decide', 'runs:write'])

export const isUnpinned = ({ pins, scopes }: Key): boolean =>
  Object.keys(pins).length === 0 && scopes.some((scope) => spending.has(scope))
export const endsSoon = ({ expires_at, status }: Key, now: Date): boolean =>
  status === 'active' && expires_at !== null && daysUntil(expires_at, now) <= soonDays
export const isUnused = ({ last_used_at, created_at }: Key, now: Date): boolean =>
  -daysUntil(last_used_at ?? created_at, now) >= unusedDays
export const isWorking = ({ status }: Key): boolean => status === 'active'

/** Returns the state of a key: the first thing about it that somebody should know. */
export function keyState(key: Key, isFrozen: boolean, times: Times): KeyState {
  const { status, revoked_at, expires_at, not_before } = key
  if (status === 'revoked') return { text: `Revoked ${revoked_at === null ? '' : times.short(revoked_at)}`, badge: '' }
  if (status === 'expired') return { text: key.rotated_to === null ? 'Ended' : 'Replaced', badge: '' }
  if (isFrozen) return { text: 'Frozen', badge: 'loud', icon: 'stop' }
  if (status === 'pending')
    return { text: not_before === null ? 'Not yet' : `From ${times.short(not_before)}`, badge: 'info' }
  if (endsSoon(key, times.now) && expires_at !== null) {
    const days = daysUntil(expires_at, times.now)
    const when = days <= 1 ? `at ${times.short(expires_at)}` : `in ${days} days`
    return key.rotated_to === null
      ? { text: `Ends ${when}`, badge: 'warn', icon: 'clock' }
      : { text: `Replaced, ends ${when}`, badge: 'info' }
  }
  if (isUnused(key, times.now)) return { text: `Not used for ${unusedDays} days`, badge: '' }
  if (isUnpinned(key)) return { text: 'Not pinned', badge: 'warn', icon: 'warn' }
  return key.last_used_at === null ? { text: 'Not used yet', badge: 'info' } : { text: 'Works' }
}

/** Dimensions to which a key can be pinned, with their words. */
export const pinChoices = dimensions.map((name) => [name, dimensionText(name)] as const)

/** Returns the pins of a key: `team payments`. */
export const pinTexts = ({ pins }: Pick<Key, 'pins'>): string[] =>
  Object.entries(pins).map(([name, value]) => `${dimensionText(name)} ${value}`)

/** Returns the names of members by their ids; none where the caller may not see members. */
export async function memberNames({ api, may }: Visit): Promise<ReadonlyMap<string, string>> {
  if (!may('members:read', 'admin')) return new Map()
  const { value } = await part(api.get('/v1/orgs/{id}/members', { query: { limit: 200 } }))
  return new Map(value?.data.map(({ id, name, email }) => [id, name === '' ? email : name]))
}

/** Returns the freezes of keys by the first key of their line. */
export async function keyFreezes({ api, may }: Visit): Promise<ReadonlyMap<string, Schemas['Freeze']>> {
  if (!may('limits:read')) return new Map()
  const { value } = await part(api.get('/v1/orgs/{id}/freezes'))
  return new Map(
    value?.data.filter(({ target_kind }) => target_kind === 'key').map((freeze) => [freeze.target_id, freeze] as const),
  )
}

const maxSteps = 20

/** Returns the freeze of a key, which covers all that it was rotated from; undefined where it is not frozen. */
export async function freezeOf(
  api: PageApi,
  key: Key,
  freezes: ReadonlyMap<string, Schemas['Freeze']>,
): Promise<Schemas['Freeze'] | undefined> {
  let first = key
  for (let step = 0; freezes.size > 0 && step < maxSteps; step++) {
    const found = freezes.get(first.id)
    if (found !== undefined || first.rotated_from === null) return found
    first = await api.get('/v1/orgs/{id}/keys/{key_id}', { path: { key_id: first.rotated_from } })
  }
  return undefined
}
