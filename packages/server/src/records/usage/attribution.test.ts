import { describe, expect, test } from 'vitest'
import { admitValues, type Combination, keyOf, mostCombinations, other, placeCombination } from './attribution.ts'

const combination = (more: Partial<Combination> = {}): Combination => ({
  model: 'gpt-4o',
  provider: 'openai',
  workflow_id: '',
  deployment_id: '',
  department_id: '',
  key_id: '',
  user_id: '',
  ...more,
})

const everythingElse = combination({
  model: other,
  provider: other,
  workflow_id: other,
  deployment_id: other,
  department_id: other,
  user_id: other,
})

describe('values of a dimension', () => {
  test('become known in the order in which they came, until a day has had its number', () => {
    const state = { said: ['b', 'a', 'b', 'c', 'd'], known: new Set(['a']), room: 2 }
    expect(admitValues(state)).toEqual({ admitted: ['b', 'c'], refused: new Set(['d']) })
  })

  test('that are known stay known, also where no new one may come', () => {
    expect(admitValues({ said: ['a', 'b'], known: new Set(['a']), room: 0 })).toEqual({
      admitted: [],
      refused: new Set(['b']),
    })
    expect(admitValues({ said: ['a'], known: new Set(), room: -3 }).refused).toEqual(new Set(['a']))
  })

  test('are neither the missing value nor the name of all others', () => {
    expect(admitValues({ said: ['', other], known: new Set(), room: 0 })).toEqual({
      admitted: [],
      refused: new Set(),
    })
  })
})

describe('a period of a rollup', () => {
  test('has a row for each combination until it has as many as it may, then one for each model, then one for all', () => {
    const period = { count: 0, existing: new Set<string>() }
    const rows = new Map<string, number>()
    for (let i = 0; i < 10_000; i++) {
      const row = placeCombination(combination({ model: `m${i % 40}`, workflow_id: `w${i}` }), period, 10)
      rows.set(keyOf(row), (rows.get(keyOf(row)) ?? 0) + 1)
    }
    expect(rows.size).toBe(mostCombinations(10) + 10 + 1)
    expect([...rows.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000)
    const names = [...rows.keys()].map((key) => Object.fromEntries(JSON.parse(key) as [string, string][]))
    expect(names.filter(({ workflow_id }) => workflow_id !== other)).toHaveLength(50)
    expect(names.filter(({ model, workflow_id }) => workflow_id === other && model !== other)).toHaveLength(10)
    expect(rows.get(keyOf(everythingElse))).toBeGreaterThan(0)
  })

  test('goes on counting under the rows that it has', () => {
    const known = combination({ workflow_id: 'checkout' })
    const period = { count: 1_000, existing: new Set([keyOf(known)]) }
    expect(placeCombination(known, period, 10)).toBe(known)
    expect(placeCombination(combination({ workflow_id: 'new' }), period, 10)).toEqual(everythingElse)
  })
})
