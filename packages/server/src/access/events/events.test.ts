import { describe, expect, test } from 'vitest'
import { faultsOfEvent } from '../../../test/support/events.ts'
import { type IdKind, parseId, prefixes } from '../../values/id.ts'
import { eventKinds, matchesFilter, optInKinds, payloadOf } from './events.ts'
import { type EventDefinition } from './kind.ts'

const kinds = Object.entries<EventDefinition>(eventKinds)

describe('the catalog', () => {
  test.each(kinds)('%s has an example that is what its schema says, with every field', (kind, { data, example }) => {
    expect(faultsOfEvent(kind, example)).toEqual([])
    const { properties } = data as unknown as { properties: object }
    expect(Object.keys(example as object).sort()).toEqual(Object.keys(properties).sort())
  })

  test('names kinds by a group and what happened, in words that receivers can rely on', () => {
    for (const [kind, { description }] of kinds) {
      expect(kind).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/)
      expect(description).toMatch(/^[A-Z0-9].*\.$/)
    }
  })

  test('gives ids in its examples that could be ids', () => {
    const known = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix as string, kind as IdKind]))
    const ids = kinds.flatMap(([, { example }]) =>
      Object.values(example as Record<string, unknown>).filter(
        (value): value is string => typeof value === 'string' && known.has(value.split('_')[0]!),
      ),
    )
    expect(ids.length).toBeGreaterThan(10)
    expect(ids.filter((id) => parseId(known.get(id.split('_')[0]!)!, id) === undefined)).toEqual([])
  })
})

describe('a filter', () => {
  test('that is empty asks for every kind but those that have to be named', () => {
    const asked = kinds.map(([kind]) => kind).filter((kind) => matchesFilter([], kind))
    expect(asked).toContain('budget.exceeded')
    expect(asked).not.toContain('run.finished')
    expect(asked).not.toContain('decision.refused')
  })

  test('names kinds or groups, and a group is not what merely begins like it', () => {
    expect(matchesFilter(['key.revoked'], 'key.revoked')).toBe(true)
    expect(matchesFilter(['key.revoked'], 'key.created')).toBe(false)
    expect(matchesFilter(['key.*'], 'key.created')).toBe(true)
    expect(matchesFilter(['spend.*'], 'spend_cap.exceeded')).toBe(false)
    expect(matchesFilter(['run.*'], 'run.finished')).toBe(true)
  })

  test('opts in to what it names, also by group', () => {
    expect(optInKinds([[], ['key.*']])).toEqual([])
    expect(optInKinds([['run.*'], ['decision.refused', 'key.created']])).toEqual(['decision.refused', 'run.finished'])
  })
})

test('the payload has the five fields of the envelope, in the words of the wire', () => {
  const payload = payloadOf({
    org_id: '0192f3a5-ac96-774b-bcce-b302099a8057',
    id: '0192f3a5-ac96-774b-bcce-b302099a8058',
    kind: 'org.resumed',
    body: { name: 'Acme', status: 'active' },
    created_at: new Date('2026-11-15T08:30:00Z'),
  })
  expect(JSON.parse(payload)).toEqual({
    id: 'evt_01jbstbb4pex5vsknk084sn02r',
    type: 'org.resumed',
    created_at: '2026-11-15T08:30:00.000+00:00',
    org_id: 'org_01jbstbb4pex5vsknk084sn02q',
    data: { name: 'Acme', status: 'active' },
  })
})
