import { strict as assert } from 'node:assert'
import { encodeParameter } from './parameters.ts'

/** A prepared statement; its name identifies it on a connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export const statement = (name: string, text: string): Statement => ({ name, text })

export interface BoundStatement {
  readonly statement: Statement
  readonly values?: readonly unknown[]
}

/** A statement with its encoded parameters; a new one is prepared and described first. */
interface EncodedStatement {
  readonly statement: Statement
  readonly parameters: readonly (string | Buffer | null)[]
  readonly isNew: boolean
}

/**
 * Encodes statements that are sent together, in PostgreSQL's extended protocol and in one buffer, so that they leave in one write. A
 * statement is parsed and described where the connection has not prepared it yet. One Sync is at the end: after a failed statement
 * PostgreSQL skips all that follow, COMMIT included.
 */
export function encodeFlight(statements: readonly BoundStatement[], isPrepared: (name: string) => boolean): Buffer {
  const encoded: EncodedStatement[] = []
  const fresh = new Set<string>()
  let bytes = sizes.sync
  for (const { statement, values = [] } of statements) {
    const isNew = !isPrepared(statement.name) && !fresh.has(statement.name)
    if (isNew) fresh.add(statement.name)
    const one = { statement, parameters: values.map(encodeParameter), isNew }
    bytes += sizeOf(one)
    encoded.push(one)
  }
  const writer = new MessageWriter(bytes)
  for (const one of encoded) writer.statement(one)
  return writer.sync()
}

/** Bytes of messages whose size is always the same: a type, the length and what follows. */
const sizes = { describe: 7, execute: 10, sync: 5 } as const

function sizeOf({ statement: { name, text }, parameters, isNew }: EncodedStatement): number {
  const nameBytes = Buffer.byteLength(name)
  // Bind: head, portal, name, formats of parameters, parameters, format of columns.
  let bytes = 5 + 1 + nameBytes + 1 + 2 + 2 * parameters.length + 2 + 4
  for (const parameter of parameters) bytes += 4 + (parameter === null ? 0 : Buffer.byteLength(parameter))
  bytes += sizes.execute
  // Parse: head, name, text, types of parameters.
  return isNew ? bytes + 5 + nameBytes + 1 + Buffer.byteLength(text) + 1 + 2 + sizes.describe : bytes
}

const types = { parse: 0x50, bind: 0x42, describe: 0x44, execute: 0x45, sync: 0x53 } as const
const portal = 0x50

/** Writes messages into a buffer of the size that they need. */
class MessageWriter {
  private readonly buffer: Buffer
  private at = 0

  constructor(bytes: number) {
    this.buffer = Buffer.allocUnsafe(bytes)
  }

  statement({ statement: { name, text }, parameters, isNew }: EncodedStatement) {
    if (isNew) this.parse(name, text)
    this.bind(name, parameters)
    if (isNew) this.describe()
    this.execute()
  }

  /** Ends the flight and returns all of its messages. */
  sync(): Buffer {
    this.end(this.begin(types.sync))
    assert(this.at === this.buffer.length, 'a flight does not have the size that was computed')
    return this.buffer
  }

  private parse(name: string, text: string) {
    const place = this.begin(types.parse)
    this.text(name)
    this.text(text)
    this.int16(0)
    this.end(place)
  }

  /** Bytes are binary, all other parameters text; so are the columns of rows. */
  private bind(name: string, parameters: EncodedStatement['parameters']) {
    const place = this.begin(types.bind)
    this.text('')
    this.text(name)
    this.int16(parameters.length)
    for (const parameter of parameters) this.int16(parameter === null || typeof parameter === 'string' ? 0 : 1)
    this.int16(parameters.length)
    for (const parameter of parameters) this.parameter(parameter)
    // One format for all columns.
    this.int16(1)
    this.int16(0)
    this.end(place)
  }

  private describe() {
    const place = this.begin(types.describe)
    this.buffer[this.at++] = portal
    this.text('')
    this.end(place)
  }

  private execute() {
    const place = this.begin(types.execute)
    this.text('')
    // All rows.
    this.int32(0)
    this.end(place)
  }

  private parameter(parameter: string | Buffer | null) {
    if (parameter === null) return this.int32(-1)
    const place = this.at
    this.at += 4
    this.at +=
      typeof parameter === 'string' ? this.buffer.write(parameter, this.at) : parameter.copy(this.buffer, this.at)
    this.buffer.writeInt32BE(this.at - place - 4, place)
  }

  /** Begins a message; returns the place of its length, which is known at its end. */
  private begin(type: number): number {
    this.buffer[this.at++] = type
    const place = this.at
    this.at += 4
    return place
  }

  private end(place: number) {
    this.buffer.writeInt32BE(this.at - place, place)
  }

  private text(text: string) {
    this.at += this.buffer.write(text, this.at)
    this.buffer[this.at++] = 0
  }

  private int16(value: number) {
    this.at = this.buffer.writeUInt16BE(value, this.at)
  }

  private int32(value: number) {
    this.at = this.buffer.writeInt32BE(value, this.at)
  }
}
