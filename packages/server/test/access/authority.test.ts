import { beforeAll, describe, expect, test } from 'vitest'
import { explore } from '../../proofs/authority/exploration.ts'
import { programRules } from '../../proofs/authority/model.ts'
import { weaknesses } from '../../proofs/authority/weaknesses.ts'
import {
  isWithin,
  laterSeconds,
  overlapSeconds,
  scopesOfWorld,
  soonSeconds,
  type Worth,
} from '../../proofs/authority/worth.ts'
import { findExcess } from '../../src/access/identity/authority.ts'

/** How many requests the sequences of every pair have. Four take about twenty minutes of a processor, so by default only the telling pairs have four. */
const length = Number(process.env['WEIR_AUTHORITY_REQUESTS'] ?? 2)

beforeAll(() => {
  // Refusals by the million: nobody reads where they were thrown.
  Error.stackTraceLimit = 0
})

type Choices = { readonly [K in keyof Worth]: readonly Worth[K][] }
const allOf = ({ role, scopes, pins, end }: Choices): Worth[] =>
  role.flatMap((r) =>
    scopes.flatMap((s) => pins.flatMap((p) => end.map((e) => ({ role: r, scopes: s, pins: p, end: e })))),
  )

const [keysOnly, everything] = [scopesOfWorld.slice(0, 1), scopesOfWorld]
const pinned = { workflow_id: 'w1' }

test('a key is within another exactly where every single act that it allows is allowed by the other: all pairs', () => {
  const keys = allOf({
    role: ['viewer', 'service', 'member', 'admin', 'owner'],
    scopes: [keysOnly, everything, scopesOfWorld.slice(1)],
    pins: [{}, pinned, { workflow_id: 'w2' }],
    end: [overlapSeconds, soonSeconds, laterSeconds, null],
  })
  const powersOf = ({ role, scopes, pins, end }: Worth) => ({
    role,
    scopes: new Set(scopes),
    pins,
    expiresAtMs: end === null ? Number.POSITIVE_INFINITY : end * 1_000,
  })
  const wrong = keys.flatMap((target) =>
    keys.filter(
      (holder) => (findExcess(powersOf(target), powersOf(holder)) === undefined) !== isWithin(target, holder),
    ),
  )
  expect(wrong).toEqual([])
})

describe('no sequence of requests gives a key more than its maker had', () => {
  const adversaries = allOf({
    role: ['admin', 'owner'],
    scopes: [keysOnly, everything],
    pins: [{}, pinned],
    end: [soonSeconds, null],
  })
  const others = allOf({
    role: ['service', 'admin', 'owner'],
    scopes: [keysOnly, everything],
    pins: [{}, pinned, { workflow_id: 'w2' }],
    end: [soonSeconds, null],
  })

  test(`every pair of keys, every sequence of up to ${length} requests`, { timeout: 3_600_000 }, () => {
    let [worlds, requests] = [0, 0]
    for (const adversary of adversaries)
      for (const other of others) {
        const explored = explore(adversary, other, length, programRules)
        expect({ adversary, other, fault: explored.fault }).toEqual({ adversary, other, fault: undefined })
        worlds += explored.worlds
        requests += explored.requests
      }
    console.log(`${adversaries.length * others.length} pairs, ${worlds} worlds, ${requests} requests`)
    expect(requests).toBeGreaterThan(adversaries.length * others.length * 100)
  })

  /** In each the other key has more than the adversary in one respect. */
  const telling: [string, Worth, Worth][] = [
    [
      'role',
      { role: 'admin', scopes: everything, pins: {}, end: null },
      { role: 'owner', scopes: everything, pins: {}, end: null },
    ],
    [
      'scopes',
      { role: 'owner', scopes: keysOnly, pins: {}, end: null },
      { role: 'admin', scopes: everything, pins: {}, end: null },
    ],
    [
      'pins',
      { role: 'admin', scopes: keysOnly, pins: pinned, end: soonSeconds },
      { role: 'admin', scopes: keysOnly, pins: {}, end: soonSeconds },
    ],
    [
      'lifetime',
      { role: 'admin', scopes: keysOnly, pins: {}, end: soonSeconds },
      { role: 'admin', scopes: keysOnly, pins: {}, end: null },
    ],
  ]
  test.each(telling)(
    'four requests of a key that has less %s than another',
    { timeout: 600_000 },
    (_respect, adversary, other) => {
      const { fault, worlds, requests } = explore(adversary, other, 4, programRules)
      console.log(`${worlds} worlds, ${requests} requests`)
      expect(fault).toBeUndefined()
    },
  )

  test.each(Object.entries(weaknesses))('found: %s', { timeout: 600_000 }, (_name, rules) => {
    const pairs = adversaries.flatMap((adversary) => others.map((other) => ({ adversary, other })))
    const isFound = pairs.some(({ adversary, other }) => explore(adversary, other, 2, rules).fault !== undefined)
    expect(isFound).toBe(true)
  })
})
