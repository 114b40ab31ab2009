import { type Caller, isPinned } from '../../access/identity/identity.ts'
import { isSameForm } from '../../values/normal-form.ts'

interface Scope {
  readonly scope_kind?: string
  readonly scope_id?: string | null
}

/** The scope of a budget as a value of a dimension; the organization's own has none. */
export const scopeOf = ({ scope_kind, scope_id }: Scope): Readonly<Record<string, string>> =>
  scope_kind === undefined || scope_id === undefined || scope_id === null ? {} : { [`${scope_kind}_id`]: scope_id }

/**
 * Narrows the filters of a list of budgets to a key's pins; undefined where nothing can match. A pinned key sees a budget when
 * everything that the budget counts lies within its pins: that of the one value to which it is pinned.
 */
export function pinnedBudgets<T extends Scope>(query: T, { pins }: Pick<Caller, 'pins'>): T | undefined {
  if (!isPinned({ pins })) return query
  const [pin, another] = Object.entries(pins)
  if (!pin || another) return undefined
  const own = { scope_kind: pin[0].replace(/_id$/, ''), scope_id: pin[1] }
  const isOther =
    (query.scope_kind ?? own.scope_kind) !== own.scope_kind || !isSameForm(query.scope_id ?? own.scope_id, own.scope_id)
  return isOther ? undefined : { ...query, ...own }
}
