import { isRecord } from '../../values/records.ts'

/** Roles that a rule can give, the weakest first. */
export const personRoles = ['viewer', 'member', 'admin', 'owner'] as const
export type PersonRole = (typeof personRoles)[number]

/** A rule: whoever has one of these values in this claim has the role. */
export interface RoleRule {
  readonly claim: string
  readonly values: readonly string[]
  readonly role: PersonRole
}

const maxDepth = 5
const maxValues = 2_000

/**
 * Returns the values of a claim. A name that is a claim as it stands is that claim, such as `https://acme.example/roles`; otherwise its
 * dots lead into objects, as in `realm_access.roles`. Numbers and truth values count as their text; anything else has no values.
 */
export function claimValues(claims: Readonly<Record<string, unknown>>, claim: string): readonly string[] {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : nested(claims, claim.split('.'))
  return (Array.isArray(found) ? found.slice(0, maxValues) : [found]).flatMap(textOf)
}

function nested(claims: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  if (path.length > maxDepth) return undefined
  let at: unknown = claims
  for (const name of path) at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined
  return at
}

const textOf = (value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []

/** Returns the role of the first rule that holds, or the default, which is null where nobody else may come in. Case counts. */
export function roleOf(
  rules: readonly RoleRule[],
  defaultRole: PersonRole | null,
  claims: Readonly<Record<string, unknown>>,
): PersonRole | null {
  const rule = rules.find(({ claim, values }) => claimValues(claims, claim).some((value) => values.includes(value)))
  return rule?.role ?? defaultRole
}
