import type { Role } from '../../src/contract/routes.ts'
import type { KeyInput } from '../../src/tenants/keys/schema.ts'
import {
  type Act,
  at,
  carryOut,
  faultsIn,
  type ModelKey,
  type Request,
  type Rules,
  type World,
  worldOf,
  worldText,
  worthOf,
} from './model.ts'
import { laterSeconds, overlapSeconds, scopesOfWorld, soonSeconds, type Worth } from './worth.ts'

/** Every sequence of requests that an adversary and an owner can send, up to a length. */

const inputOf = (role: Role, scopes: readonly string[], pins?: Record<string, string>, seconds?: number) =>
  ({
    name: 'k',
    role,
    scopes: [...scopes],
    ...(pins && { pins }),
    ...(seconds !== undefined && { expires_at: at(seconds).toISOString() }),
  }) as KeyInput

/** Keys to ask for: what a caller has, and that with one thing changed. */
export function inputsFor({ role, scopes }: Pick<Worth, 'role' | 'scopes'>): KeyInput[] {
  return [
    inputOf(role, scopes),
    ...(['service', 'admin', 'owner'] as const)
      .filter((other) => other !== role)
      .map((other) => inputOf(other, scopes)),
    ...[scopesOfWorld, scopesOfWorld.slice(0, 1)]
      .filter((other) => other.length !== scopes.length)
      .map((other) => inputOf(role, other)),
    ...['w1', 'w2'].map((workflow_id) => inputOf(role, scopes, { workflow_id })),
    ...[soonSeconds, laterSeconds].map((seconds) => inputOf(role, scopes, undefined, seconds)),
  ]
}

/** Everything that the adversary can send with a key of its own. */
export function requestsOf({ keys, kept }: World, { name, row }: ModelKey): Request[] {
  const acts: Act[] = [
    ...inputsFor(worthOf(row)).map((input) => ({ verb: 'mint', input }) as const),
    ...keys.flatMap(({ name: target }): Act[] => [
      ...[0, overlapSeconds].map((overlap) => ({ verb: 'rotate', target, overlap }) as const),
      { verb: 'revoke', target },
    ]),
  ]
  const guessed = kept.size === 0 ? [] : [...ownersActs].map((act) => ({ caller: name, act, idempotencyKey: 'call-1' }))
  return [...acts.map((act) => ({ caller: name, act })), ...guessed]
}

/** What the owner sends in the adversary's sight. */
export const ownersActs: readonly Act[] = [
  { verb: 'mint', input: inputOf('owner', scopesOfWorld) },
  { verb: 'rotate', target: 'owner', overlap: overlapSeconds },
  { verb: 'rotate', target: 'other', overlap: overlapSeconds },
]

export interface Explored {
  readonly worlds: number
  readonly requests: number
  readonly fault: { readonly what: string; readonly requests: readonly Request[] } | undefined
}

/** Tries every sequence of requests up to a length, and ends with the first fault. */
export function explore(adversary: Worth, other: Worth, length: number, rules: Rules): Explored {
  const seen = new Set<string>()
  let requests = 0
  let layer: { world: World; sent: readonly Request[] }[] = [{ world: worldOf(adversary, other), sent: [] }]
  for (let step = 1; step <= length; step++) {
    const next: typeof layer = []
    for (const { world, sent } of layer) {
      const known = world.keys.filter(({ isKnown }) => isKnown)
      const candidates = [
        ...known.flatMap((key) => requestsOf(world, key)),
        ...(step < length ? ownersActs.map((act) => ({ caller: 'owner', act, idempotencyKey: 'call-1' })) : []),
      ]
      for (const request of candidates) {
        requests++
        const outcome = carryOut(world, request, rules)
        if (!outcome) continue
        const [what] = [...outcome.faults, ...faultsIn(outcome.world, adversary)]
        if (what !== undefined) return { worlds: seen.size, requests, fault: { what, requests: [...sent, request] } }
        if (step === length) continue
        const text = worldText(outcome.world)
        if (seen.has(text)) continue
        seen.add(text)
        next.push({ world: outcome.world, sent: [...sent, request] })
      }
    }
    layer = next
  }
  return { worlds: seen.size, requests, fault: undefined }
}
