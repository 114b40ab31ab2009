import { type Charge, type LimitScope, type ScopeKind, scopeKinds } from '../../src/money/ledger/ledger.ts'
import { formatId } from '../../src/values/id.ts'
import type { Random } from '../../test/support/random.ts'

export const ids = ['a', 'b']
/** Keys have ids of their own kind; a limit names a key as the wire does. */
export const keyIds = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002']
export const budgetScopes = scopeKinds.filter((kind) => kind !== 'customer')
export const customerIds = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']

/** True when a charge is in a scope, asked of one limit at a time. */
export function isNamed(charge: Charge, { scopeKind, scopeId }: LimitScope): boolean {
  if (scopeKind === 'org') return true
  if (scopeKind === 'tag') return charge.tags?.includes(scopeId) === true
  if (scopeKind === 'key') return charge.keyId !== undefined && formatId('key', charge.keyId) === scopeId
  if (scopeKind === 'model' || scopeKind === 'provider') return charge[scopeKind] === scopeId
  return charge[`${scopeKind}Id`] === scopeId
}

/** A scope of a kind, by chance. */
export function scopeOf(random: Random, scopeKind: ScopeKind): LimitScope {
  if (scopeKind === 'org') return { scopeKind, scopeId: '' }
  if (scopeKind === 'key') return { scopeKind, scopeId: formatId('key', random.pick(keyIds)) }
  return { scopeKind, scopeId: random.pick(scopeKind === 'customer' ? customerIds : ids) }
}
