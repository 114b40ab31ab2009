import { formatId } from '../../values/id.ts'
import { normalForm } from '../../values/normal-form.ts'
import {
  type Charge,
  type LimitScope,
  type OrgLimits,
  type ScopedLimit,
  type ScopeKind,
  scopeKinds,
} from './allowances.ts'

type Names = string | readonly string[] | undefined

/** The ids that a charge has in each kind of scope. */
const namesIn: Readonly<Record<ScopeKind, (charge: Charge) => Names>> = {
  org: () => '',
  department: ({ departmentId }) => departmentId,
  workflow: ({ workflowId }) => workflowId,
  deployment: ({ deploymentId }) => deploymentId,
  customer: ({ customerId }) => customerId,
  provider: ({ provider }) => provider || undefined,
  model: ({ model }) => model || undefined,
  tag: ({ tags }) => tags,
  user: ({ userId }) => userId,
  key: ({ keyId }) => keyId && formatId('key', keyId),
}

/** The id of a scope as charges name it: what callers choose is in normal form, also where a limit was set on another spelling. */
const nameOfScope = ({ scopeKind, scopeId }: LimitScope): string =>
  scopeKind === 'key' || scopeKind === 'model' || scopeKind === 'provider' ? scopeId : normalForm(scopeId)

/** A limit that a charge meets, for the subject by which it meets it. */
export interface MetLimit {
  readonly limit: ScopedLimit
  readonly scopeKind: ScopeKind
  readonly subject: string
}

/** A kind of scope on which an organization has limits of one kind. */
interface LimitedScope {
  readonly scopeKind: ScopeKind
  readonly names: (charge: Charge) => Names
  /** Limits by the id that they are set on. */
  readonly own: ReadonlyMap<string, readonly ScopedLimit[]>
  /** Limits of those without one of their own. */
  readonly defaults: readonly ScopedLimit[]
}

const limitedScopes = new WeakMap<readonly ScopedLimit[], Map<string, readonly LimitedScope[]>>()

/** Returns the kinds of scopes with limits of a kind; each decision asks, so they are found once for each configuration. */
function scopesWith({ limits }: OrgLimits, kind: string): readonly LimitedScope[] {
  let byKind = limitedScopes.get(limits)
  if (!byKind) limitedScopes.set(limits, (byKind = new Map()))
  const known = byKind.get(kind)
  if (known) return known
  const found = scopeKinds.flatMap((scopeKind): LimitedScope[] => {
    const here = limits.filter((limit) => limit.scopeKind === scopeKind)
    const own = here.filter((limit) => limit.kind === kind)
    const defaults = here.filter((limit) => limit.kind === defaultOf(kind))
    if (own.length + defaults.length === 0) return []
    return [{ scopeKind, names: namesIn[scopeKind], own: Map.groupBy(own, nameOfScope), defaults }]
  })
  byKind.set(kind, found)
  return found
}

/** The kind of the limits that apply where no limit of a kind is set. */
const defaultOf = (kind: string) => `${kind}_default`

/** Returns the limits of a kind that a charge meets: those of its scopes, and the default of each scope that has none of its own. */
export function limitsMet(org: OrgLimits, kind: string, charge: Charge): MetLimit[] {
  const met: MetLimit[] = []
  for (const scope of scopesWith(org, kind)) {
    const names = scope.names(charge)
    if (names === undefined) continue
    if (typeof names === 'string') meet(scope, names, charge, met)
    else for (const name of names) meet(scope, name, charge, met)
  }
  return met
}

function meet({ scopeKind, own, defaults }: LimitedScope, subject: string, charge: Charge, met: MetLimit[]) {
  let hasOwn = false
  for (const limit of own.get(subject) ?? []) {
    // A limit on a part of the scope is no limit of the scope.
    if (limit.and === undefined) hasOwn = true
    else if (!isIn(charge, limit.and)) continue
    // What it has counted stands under the spelling that it was set on.
    met.push({ limit, scopeKind, subject: limit.scopeId })
  }
  if (!hasOwn) for (const limit of defaults) met.push({ limit, scopeKind, subject })
}

function isIn(charge: Charge, scope: LimitScope): boolean {
  const names = namesIn[scope.scopeKind](charge)
  const name = nameOfScope(scope)
  return typeof names === 'string' ? names === name : (names?.includes(name) ?? false)
}
