import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApiError } from './errors.ts'
import { ListQuery, pageInMemory, pageRequest, readWindow, windowFilters } from './lists.ts'
import { checkOf } from './semantic-check.ts'

interface Row {
  id: string
  name: string
}
const position = (row: Row) => ({ value: row.name, id: row.id })

const fieldsOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return (error as ApiError<'validation_failed'>).details.fields.map(({ field, code, message }) => ({
      field,
      code,
      message,
    }))
  }
  return []
}

test('paging by any sort returns each row once, in order, while rows are inserted', () => {
  const names = fc.array(fc.string({ maxLength: 3 }), { maxLength: 40 })
  fc.assert(
    fc.property(names, names, fc.integer({ min: 1, max: 7 }), fc.boolean(), (first, later, limit, descending) => {
      const rows: Row[] = first.map((name, i) => ({ id: `a${String(i).padStart(3, '0')}`, name }))
      const initial = rows.map(({ id }) => id)
      const sort = descending ? '-name' : 'name'
      const seen: Row[] = []
      let cursor: string | undefined
      do {
        const answer = pageInMemory(
          rows,
          pageRequest({ limit, sort, ...(cursor !== undefined && { cursor }) }, 'name'),
          position,
        )
        expect(answer.data.length).toBeLessThanOrEqual(limit)
        seen.push(...answer.data)
        cursor = answer.next_cursor ?? undefined
        const name = later.pop()
        if (name !== undefined) rows.push({ id: `b${rows.length}`, name })
      } while (cursor !== undefined)
      const ids = seen.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(initial.every((id) => ids.includes(id))).toBe(true)
      const keys = seen.map(({ name, id }) => [name, id] as const)
      const sorted = keys.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : 1))
      expect(keys).toEqual(descending ? sorted.toReversed() : sorted)
    }),
  )
})

const faultsIn = (schema: object, query: object) =>
  checkOf(schema)!(query).map(({ field, code, message }) => ({ field, code, message }))

describe('a cursor', () => {
  const query = ListQuery({ name: 'text', created_at: 'time', size: 'integer', priority: 'int32' }, {})
  const cursor = (...parts: unknown[]) => JSON.stringify(parts)
  const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'

  test('belongs to the sort it was made under', () => {
    expect(faultsIn(query, { cursor: cursor('name', 'a', uuid) })).toEqual([])
    expect(faultsIn(query, { cursor: cursor('-name', 'a', uuid), sort: '-name' })).toEqual([])
    expect(faultsIn(query, { cursor: cursor('name', 'a', uuid), sort: '-name' })).toMatchObject([
      { field: 'cursor', code: 'invalid_value' },
    ])
  })

  test.each([
    ['no cursor at all', 'x', undefined],
    ['no triple', cursor('name', 'a'), undefined],
    ['no text', cursor('name', 1, 2), undefined],
    ['no id', cursor('name', 'a', 'b'), undefined],
    ['text that cannot be stored', cursor('name', 'a\0', uuid), undefined],
    ['no time', cursor('created_at', 'soon', uuid), 'created_at'],
    ['a day that does not exist', cursor('created_at', '2026-02-30 00:00:00+00', uuid), 'created_at'],
    ['a year that does not exist', cursor('created_at', '0000-01-01 00:00:00+00', uuid), 'created_at'],
    ['an offset that does not exist', cursor('created_at', '2026-01-01 00:00:00+17', uuid), 'created_at'],
    ['an hour that does not exist', cursor('created_at', '2026-01-01 24:30:00+00', uuid), 'created_at'],
    ['no number', cursor('size', '1e9', uuid), 'size'],
    ['a number that its column cannot hold', cursor('priority', '2147483648', uuid), 'priority'],
  ])('a forged one with %s is refused before any database sees it', (_what, text, sort) => {
    expect(faultsIn(query, { cursor: text, ...(sort && { sort }) })).toMatchObject([
      { field: 'cursor', code: 'invalid_value' },
    ])
  })

  test.each(['2026-11-15 00:00:00+00', '2026-11-15 00:00:00.123456+00', '2026-11-15T00:00:00.1Z'])(
    'the time %s is one',
    (time) => {
      expect(faultsIn(query, { cursor: cursor('created_at', time, uuid), sort: 'created_at' })).toEqual([])
    },
  )
})

describe('a window', () => {
  const defaults = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-02-01T00:00:00Z') }
  const faults = (query: { from?: string; to?: string }) => fieldsOf(() => readWindow(query, defaults))

  test('takes a date as its midnight in UTC, and a timestamp with any offset', () => {
    expect(readWindow({ from: '2026-03-01', to: '2026-03-02T02:00:00+02:00' }, defaults)).toEqual({
      from: new Date('2026-03-01T00:00:00Z'),
      to: new Date('2026-03-02T00:00:00Z'),
    })
    expect(readWindow({}, defaults)).toEqual(defaults)
  })

  test('of 90 days passes, of 366 is out_of_range on "to" and names the maximum', () => {
    expect(faults({ from: '2025-01-01', to: '2025-04-01' })).toEqual([])
    expect(faults({ from: '2025-01-01', to: '2026-01-02' })).toEqual([
      { field: 'to', code: 'out_of_range', message: 'The range is 366 days; the maximum is 90 days.' },
    ])
    expect(faults({ from: '2025-01-01', to: '2025-04-01T00:00:00.001Z' })).toMatchObject([
      { field: 'to', code: 'out_of_range' },
    ])
  })

  test('that ends before or when it begins is out_of_range on "to"', () => {
    expect(faults({ from: '2026-03-01', to: '2026-03-01' })).toMatchObject([
      { field: 'to', code: 'out_of_range', message: expect.stringContaining('90') },
    ])
    expect(faults({ from: '2026-03-02', to: '2026-03-01' })).toMatchObject([{ field: 'to', code: 'out_of_range' }])
  })

  test('has all its faults told at once, with those of the cursor', () => {
    const query = ListQuery({ name: 'text' }, windowFilters)
    expect(
      faultsIn(query, { from: '2026-02-30', to: '2026-13-01', cursor: 'x' }).map(
        ({ field, code }) => `${field}: ${code}`,
      ),
    ).toEqual(['cursor: invalid_value', 'from: invalid_filter', 'to: invalid_filter'])
  })

  test.each(['2026-02-30', '2026-13-01', '2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z'])('%s is no date', (from) => {
    expect(faultsIn(ListQuery({ name: 'text' }, windowFilters), { from, to: '2026-03-10' })).toMatchObject([
      { field: 'from', code: 'invalid_filter' },
    ])
  })
})
