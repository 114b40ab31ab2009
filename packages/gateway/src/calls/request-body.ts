import { isAscii } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { type JsonObject, RequestFault } from '../dialects/dialect.ts'
import { isObject } from '../dialects/fields.ts'
import { countKeys, hasMoreValues, type Structure, structureOf } from '../values/json-text.ts'

/** The body of a call: its text as it came, what it says, and where its members stand. */
export interface CallBody {
  readonly text: string
  /** Its length in bytes. */
  readonly size: number
  readonly value: JsonObject
  readonly structure: Structure
}

/** Thrown for a body that is not read to its end. */
export class BodyRefused extends Error {
  readonly reason: 'too_large' | 'no_memory' | 'aborted'

  constructor(reason: 'too_large' | 'no_memory' | 'aborted') {
    super(reason)
    this.reason = reason
  }
}

/** A count of the bytes of all requests in memory. */
export class BufferedBytes {
  #used = 0
  private readonly most: number
  private readonly onChange: (used: number) => void

  constructor(most: number, onChange: (used: number) => void) {
    this.most = most
    this.onChange = onChange
  }

  take(bytes: number) {
    if (this.#used + bytes > this.most) throw new BodyRefused('no_memory')
    this.#used += bytes
    this.onChange(this.#used)
  }

  give(bytes: number) {
    this.#used -= bytes
    this.onChange(this.#used)
  }
}

const deepest = 200
/** Values of one body: each takes many times the memory and time of its few bytes, while all other calls wait. */
const mostValues = 500_000
const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

/** Reads a body, whatever its encoding; `held` counts its bytes until the caller gives them back. */
export async function readBytes(
  request: IncomingMessage,
  most: number,
  buffered: BufferedBytes,
  held: { bytes: number },
) {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > most) throw new BodyRefused('too_large')
  const take = (bytes: number) => {
    if (held.bytes + bytes > most) throw new BodyRefused('too_large')
    buffered.take(bytes)
    held.bytes += bytes
  }
  const chunks = await chunksOf(request, take)
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  const read = await decompressed(bytes, request.headers['content-encoding'] ?? 'identity', most)
  // A few bytes can stand for a body as large as any.
  if (read.length > bytes.length) take(read.length - bytes.length)
  return read
}

/** Reads all chunks of a request by its events, which cost less than its iterator. What comes after a refusal is thrown away. */
function chunksOf(request: IncomingMessage, take: (bytes: number) => void): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>()
  const chunks: Buffer[] = []
  let isRefused = false
  request.on('data', (chunk: Buffer) => {
    if (isRefused) return
    try {
      take(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      isRefused = true
      chunks.length = 0
      reject(error instanceof Error ? error : new BodyRefused('aborted'))
    }
  })
  request.once('end', () => resolve(chunks))
  request.once('error', () => reject(new BodyRefused('aborted')))
  request.once('close', () => {
    if (!request.readableEnded) reject(new BodyRefused('aborted'))
  })
  // A caller that is gone already says nothing more.
  if (request.destroyed) reject(new BodyRefused('aborted'))
  return promise
}

async function decompressed(bytes: Buffer, encoding: string, most: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === 'identity' || name === '') return bytes
  if (!Object.hasOwn(decoders, name))
    throw new RequestFault('invalid_request', `the content encoding ${name} is not known`, 'content-encoding')
  try {
    return await decoders[name as keyof typeof decoders](bytes, { maxOutputLength: most })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new BodyRefused('too_large')
    throw new RequestFault('invalid_request', `the body is not ${name}`)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a body. Whatever two parsers could read differently is refused: a key that is written twice, also in depth, a text that is not
 * UTF-8, a mark before its beginning.
 */
export function parseBody(bytes: Buffer): CallBody {
  let text: string
  try {
    // Nearly all are plain, and read so in half the time.
    text = isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes)
  } catch {
    throw new RequestFault('invalid_request', 'the body is not UTF-8')
  }
  if (text.length > mostValues && hasMoreValues(text, mostValues))
    throw new RequestFault('invalid_request', `the body has more than ${mostValues} values`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RequestFault('invalid_request', 'the body is not JSON')
  }
  if (!isObject(value)) throw new RequestFault('invalid_request', 'the body must be an object')
  const structure = structureOf(text)
  if (structure.depth > deepest) throw new RequestFault('invalid_request', `the body is nested deeper than ${deepest}`)
  if (structure.keys !== countKeys(value))
    throw new RequestFault(
      'invalid_request',
      'a key is written twice in one object, and parsers differ on which counts',
    )
  return { text, size: bytes.length, value, structure }
}
