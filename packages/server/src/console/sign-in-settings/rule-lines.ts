import type { Schemas } from '../api/api.ts'

type RuleRole = Schemas['MemberInput']['role']

const roles: readonly string[] = ['owner', 'admin', 'member', 'viewer'] satisfies RuleRole[]
const isRole = (text: string): text is RuleRole => roles.includes(text)

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** A rule of a directory: whoever is in the group has the role. */
export interface GroupRule {
  readonly group: string
  readonly role: RuleRole
}

/** A rule of an identity provider: whoever has one of the values in the claim has the role. */
export interface ClaimRule {
  readonly claim: string
  readonly values: string[]
  readonly role: RuleRole
}

/** Returns what stands before and after the last arrow of a line; undefined where the role is none. */
function sidesOf(line: string): { readonly left: string; readonly role: RuleRole } | undefined {
  const at = line.lastIndexOf('->')
  const role = line.slice(at + 2).trim()
  const left = line.slice(0, Math.max(at, 0)).trim()
  return at > 0 && left !== '' && isRole(role) ? { left, role } : undefined
}

/** Reads rules such as `weir-admins -> admin`, one a line; undefined where a line is none. */
export function readGroupRules(text: string): GroupRule[] | undefined {
  const rules = lines(text).map(sidesOf)
  return rules.every((rule) => rule !== undefined) ? rules.map(({ left, role }) => ({ group: left, role })) : undefined
}

export const groupRuleLines = (rules: readonly { readonly group: string; readonly role: string }[]): string =>
  rules.map(({ group, role }) => `${group} -> ${role}`).join('\n')

/** Reads rules such as `groups = weir-admins, sre -> admin`, one a line; undefined where a line is none. */
export function readClaimRules(text: string): ClaimRule[] | undefined {
  const rules = lines(text).map((line) => {
    const sides = sidesOf(line)
    const at = sides?.left.indexOf('=') ?? -1
    if (!sides || at < 1) return undefined
    const values = sides.left
      .slice(at + 1)
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean)
    return values.length === 0 ? undefined : { claim: sides.left.slice(0, at).trim(), values, role: sides.role }
  })
  return rules.every((rule) => rule !== undefined) ? rules : undefined
}

export const claimRuleLines = (
  rules: readonly { readonly claim: string; readonly values: readonly string[]; readonly role: string }[],
): string => rules.map(({ claim, values, role }) => `${claim} = ${values.join(', ')} -> ${role}`).join('\n')
