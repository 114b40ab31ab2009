import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll } from 'vitest'

/** A name server that says what a test tells it to, over UDP only. */
export interface DnsServer {
  /** As the setting wants it: address and port. */
  address: string
  /** The questions that came, such as `A host.test`. */
  readonly questions: string[]
  /** From now on; `nth` counts the questions for this name and type from 0. */
  readonly answer: (name: string, reply: (type: string, nth: number) => Reply) => void
}

export interface Reply {
  readonly records?: readonly Entry[]
  /** 2 for a failing server, 3 for a name that does not exist. */
  readonly code?: number
  readonly isTruncated?: boolean
  readonly isSilent?: boolean
  /** Added to the id of the question: an answer to something that nobody asked. */
  readonly idOffset?: number
  /** Sent as they are. */
  readonly bytes?: Buffer
}

export interface Entry {
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'TXT'
  readonly data: string
  /** The name asked for, unless said otherwise. */
  readonly name?: string
}

/** A name with these addresses and no others. */
export const having =
  (...addresses: string[]) =>
  (type: string): Reply => ({
    records: addresses
      .map((data) => ({ type: data.includes(':') ? ('AAAA' as const) : ('A' as const), data }))
      .filter((entry) => entry.type === type),
  })

/** A name with these texts and nothing else. */
export const saying =
  (...texts: string[]) =>
  (type: string): Reply => ({
    records: texts.map((data) => ({ type: 'TXT' as const, data })).filter((entry) => entry.type === type),
  })

const types: Record<string, number> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 }
const typeNames = new Map(Object.entries(types).map(([name, number]) => [number, name]))

export function useDnsServer(): DnsServer {
  const socket = createSocket('udp4')
  const replies = new Map<string, (type: string, nth: number) => Reply>()
  const server: DnsServer = {
    address: '',
    questions: [],
    answer: (name, reply) => void replies.set(name, reply),
  }
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    const question = `${type} ${name}`
    const nth = server.questions.filter((earlier) => earlier === question).length
    server.questions.push(question)
    const reply = replies.get(name)?.(type, nth) ?? { code: 3 }
    if (!reply.isSilent) socket.send(reply.bytes ?? encode(query.subarray(0, end), reply), port, address)
  })
  beforeAll(async () => {
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    server.address = `127.0.0.1:${socket.address().port}`
  })
  afterAll(() => socket.close())
  return server
}

const headerBytes = 12

function questionOf(query: Buffer) {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = query.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type: typeNames.get(type) ?? String(type), end: at + 5 }
}

/** The header and question of the query, turned into an answer, and the records behind them. */
function encode(asked: Buffer, { records = [], code = 0, isTruncated = false, idOffset = 0 }: Reply) {
  const head = Buffer.from(asked)
  head.writeUInt16BE((asked.readUInt16BE(0) + idOffset) % 65_536, 0)
  head.writeUInt16BE(0x8180 | (isTruncated ? 0x0200 : 0) | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records.map(encodeRecord)])
}

function encodeRecord({ type, data, name }: Entry) {
  const value = { A: ipv4Bytes, AAAA: ipv6Bytes, CNAME: nameBytes, TXT: textBytes }[type](data)
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(types[type]!, 0)
  fixed.writeUInt16BE(1, 2)
  // A day: whoever kept answers would be seen to.
  fixed.writeUInt32BE(86_400, 4)
  fixed.writeUInt16BE(value.length, 8)
  const questionPointer = Buffer.from([0xc0, headerBytes])
  return Buffer.concat([name === undefined ? questionPointer : nameBytes(name), fixed, value])
}

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.alloc(1),
  ])

/** A text in pieces, as long ones are sent. */
const textBytes = (text: string) =>
  Buffer.concat(
    (text.match(/.{1,40}/gs) ?? []).map((piece) => Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece)])),
  )

const ipv4Bytes = (address: string) => Buffer.from(address.split('.').map(Number))

/** Groups of hexadecimal digits only. */
function ipv6Bytes(address: string) {
  const [before, after] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const middle = after === undefined ? [] : Array<string>(8 - before!.length - after.length).fill('0')
  const bytes = Buffer.alloc(16)
  for (const [i, group] of [...before!, ...middle, ...(after ?? [])].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2)
  }
  return bytes
}
