/**
 * Last-resort keys, without which nobody could mint a key again: an organization's owners, and operators. Pure: code that ends
 * one checks here whether another is left.
 */

interface KeyState {
  readonly role: string
  readonly scopes: readonly string[]
  readonly pins: Readonly<Record<string, string>>
  readonly not_before: Date | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

/** Scope with which keys of a role manage others. */
const managingScopes: Readonly<Record<string, string>> = { owner: 'keys:write', operator: 'admin:write' }

const isActive = ({ not_before, expires_at, revoked_at }: KeyState, now: Date) =>
  revoked_at === null && (not_before === null || not_before <= now) && (expires_at === null || expires_at > now)

const manages = ({ role, scopes }: KeyState) => scopes.includes(managingScopes[role] ?? '')
const isPinned = ({ pins }: KeyState) => Object.keys(pins).length > 0
const endOf = ({ expires_at }: KeyState) => expires_at?.getTime() ?? Number.POSITIVE_INFINITY

/** True when a key works now and its loss could lock everybody out. */
export const isLastResort = (key: KeyState, now: Date) => key.role in managingScopes && isActive(key, now)

/** True when a key can replace another: it works now, with no less power, and expires no earlier. */
export const canReplace = (other: KeyState, target: KeyState, now: Date) =>
  isActive(other, now) &&
  endOf(other) >= endOf(target) &&
  (manages(other) || !manages(target)) &&
  (!isPinned(other) || isPinned(target))
