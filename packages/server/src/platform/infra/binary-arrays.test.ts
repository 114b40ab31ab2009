import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../../scripts/private-services.ts'
import { newUuid } from '../../values/id.ts'
import {
  bigintArray,
  booleanArray,
  integerArray,
  placeArray,
  smallintArray,
  textArray,
  timeArray,
  uuidArray,
} from './binary-arrays.ts'

let client: pg.Client
beforeAll(async () => {
  client = new pg.Client({ connectionString: services().postgres.url })
  await client.connect()
})
afterAll(() => client.end())

/** What PostgreSQL reads, element by element, as text. */
async function readBack(type: string, array: Buffer): Promise<(string | null)[]> {
  const { rows } = await client.query<{ element: string | null }>(
    `select element::text from unnest($1::${type}[]) with ordinality as a (element, place) order by place`,
    [array],
  )
  return rows.map(({ element }) => element)
}

const orNull = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values), { maxLength: 20 })
const bigints = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const integers = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const texts = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', ''))
const asText = (values: readonly (bigint | number | string | boolean | null)[]) =>
  values.map((value) => (value === null ? null : String(value)))

test('arrays arrive as they were, with their nulls', async () => {
  const check = <T extends bigint | number | string | boolean>(
    type: string,
    values: fc.Arbitrary<T>,
    encode: (values: readonly (T | null)[]) => Buffer,
  ) =>
    fc.assert(
      fc.asyncProperty(orNull(values), async (array) => {
        expect(await readBack(type, encode(array))).toEqual(asText(array))
      }),
      { numRuns: 30 },
    )
  await check('uuid', fc.uuid(), uuidArray)
  await check('bigint', bigints, bigintArray)
  await check('integer', integers, integerArray)
  await check('smallint', fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }), smallintArray)
  await check('text', texts, textArray)
  await check('boolean', fc.boolean(), booleanArray)
})

test('times arrive to the millisecond, before and after 2000', async () => {
  const times = [0, Date.UTC(1999, 11, 31, 23, 59, 59, 999), Date.UTC(2026, 10, 19, 1, 2, 3, 456), 8_640_000_000_000]
  const { rows } = await client.query<{ at: Date }>('select unnest($1::timestamptz[]) as at', [timeArray(times)])
  expect(rows.map(({ at }) => at.getTime())).toEqual(times)
})

test('places of rows arrive', async () => {
  const places = ['(0,1)', '(4294967295,65535)', '(12,34)']
  expect(await readBack('tid', placeArray(places))).toEqual(places)
})

test('what is not a UUID is refused, and never the bytes of another one', () => {
  const good = newUuid()
  for (const bad of [
    '',
    good.slice(1),
    `${good}0`,
    good.replace('-', '0'),
    `g${good.slice(1)}`,
    `${good.slice(0, -1)}ı`,
  ])
    expect(() => uuidArray([bad]), bad).toThrow('not a UUID')
})

test('an amount that a bigint cannot hold is refused', () => {
  expect(() => bigintArray([2n ** 63n])).toThrow(RangeError)
  expect(() => smallintArray([2 ** 15])).toThrow(RangeError)
})

test('an array of another type than the statement expects is refused', async () => {
  await expect(readBack('bigint', uuidArray([newUuid()]))).rejects.toMatchObject({ code: '42804' })
})
