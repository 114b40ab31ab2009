import { ApiError } from '../../contract/errors.ts'
import { includesRole, type Role } from '../../contract/routes.ts'
import { isSameForm } from '../../values/normal-form.ts'
import { scopesInGiftOf, scopesOfPerson } from './scopes.ts'

/** Properties in which a key can have more or less power than another. */
export interface KeyPowers {
  readonly role: Role
  readonly scopes: ReadonlySet<string>
  readonly pins: Readonly<Record<string, string>>
  readonly expiresAtMs: number
  /** Scopes that it may give to keys, where these are not its own. */
  readonly scopesInGift?: ReadonlySet<string> | undefined
}

/** Returns the powers of a person with a role. */
export const powersOfPerson = (role: Role): KeyPowers => ({
  role,
  scopes: scopesOfPerson(role),
  scopesInGift: scopesInGiftOf(role),
  pins: {},
  expiresAtMs: Number.POSITIVE_INFINITY,
})

type Respect = 'role' | 'scopes' | 'pins' | 'lifetime'

/** Respects in which a key must not exceed the caller's own for the caller to be shown its secret. */
const handOutRespects: readonly Respect[] = ['role', 'scopes', 'pins', 'lifetime']
/** Respects for ending a key. This grants nothing, so a key that expires soon may end one that would not. */
const endRespects: readonly Respect[] = ['role', 'scopes', 'pins']

/** First respect in which a key exceeds another, and by how much. */
export type Excess =
  | { readonly respect: 'role' | 'lifetime' }
  | { readonly respect: 'scopes'; readonly scope: string }
  | { readonly respect: 'pins'; readonly dimension: string }

const comparisons: Record<Respect, (target: KeyPowers, holder: KeyPowers) => Excess | undefined> = {
  role: (target, holder) => (includesRole(holder.role, target.role) ? undefined : { respect: 'role' }),
  scopes: (target, holder) => {
    const held = holder.scopesInGift ?? holder.scopes
    const scope = [...(target.scopesInGift ?? target.scopes)].find((wanted) => !held.has(wanted))
    return scope === undefined ? undefined : { respect: 'scopes', scope }
  },
  // A pin removes power: a pinned key can only manage keys with the same pin.
  pins: (target, holder) => {
    const dimension = Object.keys(holder.pins).find(
      (name) => !isSameForm(holder.pins[name] ?? '', target.pins[name] ?? ''),
    )
    return dimension === undefined ? undefined : { respect: 'pins', dimension }
  },
  lifetime: (target, holder) => (target.expiresAtMs <= holder.expiresAtMs ? undefined : { respect: 'lifetime' }),
}

/** Returns the first respect in which one key exceeds another; undefined when there is none. */
export function findExcess(
  target: KeyPowers,
  holder: KeyPowers,
  respects: readonly Respect[] = handOutRespects,
): Excess | undefined {
  for (const respect of respects) {
    const found = comparisons[respect](target, holder)
    if (found) return found
  }
  return undefined
}

/** Refuses to show a caller the secret of a key that exceeds its own. A key never exceeds itself. */
export const requireCanHandOut = (caller: KeyPowers, target: KeyPowers) =>
  refuse(findExcess(target, caller, handOutRespects))

/** Refuses to let a caller end a key that exceeds its own. */
export const requireCanEnd = (caller: KeyPowers, target: KeyPowers) => refuse(findExcess(target, caller, endRespects))

function refuse(found: Excess | undefined) {
  switch (found?.respect) {
    case undefined:
      return
    case 'role':
      throw forbidden('You cannot give or end a higher role than your own.')
    case 'scopes':
      throw new ApiError(
        'missing_scope',
        { required: found.scope },
        { message: 'You cannot give or end a scope that you lack.' },
      )
    case 'pins':
      throw forbidden(
        `Your key is pinned to one ${found.dimension}, and what you would give or end is not pinned to the same one.`,
      )
    case 'lifetime':
      throw forbidden('Your key expires before what you would create.')
  }
}

const forbidden = (message: string) => new ApiError('forbidden', {}, { message })
