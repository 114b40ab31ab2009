import type { Role } from '../../src/contract/routes.ts'

/** What keys are worth, told by every single act that they allow: an oracle that shares nothing with the program's own comparison. */

/** All that a key is worth, in values that are compared by the oracle below and not by the program. */
export interface Worth {
  readonly role: Role
  readonly scopes: readonly string[]
  readonly pins: Readonly<Record<string, string>>
  /** Seconds from now, if it ends. */
  readonly end: number | null
}

export const overlapSeconds = 50
export const soonSeconds = 100
export const laterSeconds = 200
export const ranks: Record<string, number> = { viewer: 1, service: 2, member: 2, admin: 3, owner: 4 }
const workflows = ['w1', 'w2', 'none']
const instants = [1, overlapSeconds + 1, soonSeconds + 1, laterSeconds + 1]
export const scopesOfWorld = ['keys:write', 'limits:write']

const bits = new Map<string, bigint>()
const bitOf = (act: string) => {
  if (!bits.has(act)) bits.set(act, 1n << BigInt(bits.size))
  return bits.get(act)!
}
const capabilitiesByWorth = new Map<string, bigint>()

/** Every single act that a key allows: at which rank, with which scope, for which workflow, when. */
function capabilities(worth: Worth): bigint {
  const text = JSON.stringify([worth.role, worth.scopes, worth.pins, worth.end])
  const known = capabilitiesByWorth.get(text)
  if (known !== undefined) return known
  let all = 0n
  for (let rank = 1; rank <= ranks[worth.role]!; rank++)
    for (const scope of worth.scopes)
      for (const workflow of workflows.filter((name) => name === (worth.pins['workflow_id'] ?? name)))
        for (const instant of instants.filter((seconds) => worth.end === null || seconds < worth.end))
          all |= bitOf(`${rank} ${scope} ${workflow} ${instant}`)
  capabilitiesByWorth.set(text, all)
  return all
}

/** True where every act that the one allows is allowed by the other. */
export const isWithin = (worth: Worth, other: Worth) => (capabilities(worth) & ~capabilities(other)) === 0n

/** The same, whenever it happens. */
export const isWithinAtAnyTime = (worth: Worth, other: Worth) =>
  isWithin({ ...worth, end: null }, { ...other, end: null })
