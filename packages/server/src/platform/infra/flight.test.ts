import { Duplex } from 'node:stream'
import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type BoundStatement, encodeFlight, statement } from './flight.ts'
import { encodeParameter } from './parameters.ts'

const texts = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))
const parameters = fc.oneof(
  texts,
  fc.constant(null),
  fc.constant(undefined),
  fc.bigInt(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.array(texts),
)
const names = ['begin', 'read', 'write', 'größer'] as const
const flights = fc.array(
  fc.record({ name: fc.constantFrom(...names), values: fc.option(fc.array(parameters), { nil: undefined }) }),
  { maxLength: 8 },
)

const textOf = (name: string) => `select '${name}: €'`

/** Returns what the driver sends for the same statements, message by message. */
function sentByDriver(statements: readonly BoundStatement[], isPrepared: (name: string) => boolean): Buffer {
  const sent: Buffer[] = []
  const stream = new Duplex({
    write(chunk: Buffer, _encoding, done) {
      sent.push(chunk)
      done()
    },
  })
  const connection = new pg.Connection({ stream: () => stream })
  const seen = new Set<string>()
  for (const {
    statement: { name, text },
    values = [],
  } of statements) {
    const isNew = !isPrepared(name) && !seen.has(name)
    seen.add(name)
    if (isNew) connection.parse({ name, text, types: [] }, true)
    connection.bind({ statement: name, values: values.map(encodeParameter) }, true)
    if (isNew) connection.describe({ type: 'P' }, true)
    connection.execute(null, true)
  }
  connection.sync()
  return Buffer.concat(sent)
}

test('a flight has the bytes that the driver sends message by message: new statements described once, one Sync at the end', () => {
  fc.assert(
    fc.property(flights, fc.subarray([...names]), (asked, prepared) => {
      const statements = asked.map(({ name, values }) => ({
        statement: statement(name, textOf(name)),
        ...(values && { values }),
      }))
      const isPrepared = (name: string) => prepared.some((one) => one === name)
      expect(encodeFlight(statements, isPrepared)).toEqual(sentByDriver(statements, isPrepared))
    }),
  )
})
