import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Fault } from '../faults.ts'
import { isRecord, type Json, messageOf, systemCodeOf, textOf } from '../values.ts'

/** A creation whose secret is to be kept, as it is noted before it is sent. */
export interface Begun {
  readonly begun: string
  readonly resource: string
  readonly at: string
  /** The address that it is sent to, by the key with this id. */
  readonly url: string
  readonly caller: string
  readonly body: Json
}

/**
 * A file for the secrets of what an apply makes, one JSON object per line, readable by its owner alone. A creation is noted before it is sent: a
 * secret is shown once, so after an apply that died before it could write one down, the next asks for the same answer again. Lines are only
 * appended, so two applies at once do not lose each other's.
 */
export class SecretsFile {
  readonly #file: number
  readonly #lines: Json[]

  constructor(path: string) {
    this.#file = openPrivately(path)
    const text = readFileSync(this.#file, 'utf8')
    this.#lines = linesOf(text, path)
    // The last line of one that was killed while it wrote.
    if (text !== '' && !text.endsWith('\n')) writeSync(this.#file, '\n')
  }

  /** Returns creations that were begun and never ended. */
  pending(): Begun[] {
    const done = new Set(this.#lines.map((line) => textOf(line, 'done')))
    return this.#lines.filter(isBegun).filter(({ begun }) => !done.has(begun))
  }

  append(
    line: Begun | { readonly done: string; readonly resource: string; readonly id?: string; readonly secret?: string },
  ) {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
    fsyncSync(this.#file)
    this.#lines.push({ ...line })
  }

  close() {
    closeSync(this.#file)
  }
}

const isBegun = (line: Json): line is Json & Begun => textOf(line, 'begun') !== '' && isRecord(line['body'])

/** Opens the file itself, through no link, and only if nobody else can read it. */
function openPrivately(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  let file: number
  try {
    file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  } catch (error) {
    const why = systemCodeOf(error) === 'ELOOP' ? 'it is a link' : messageOf(error)
    throw new Fault('usage', `${path} cannot be written: ${why}`)
  }
  const status = fstatSync(file)
  if (status.isFile() && (status.mode & 0o077) === 0 && status.nlink === 1) return file
  closeSync(file)
  throw new Fault('usage', `${path} is no file that only you can read`, `Run: chmod 600 ${path}, or name another file.`)
}

function linesOf(text: string, path: string): Json[] {
  const lines = text.split('\n').filter((line) => line !== '')
  const parsed = lines.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return isRecord(value) ? [value] : []
    } catch {
      return []
    }
  })
  // One line may be cut; a file of something else has none that is whole.
  if (lines.length > 1 && parsed.length === 0)
    throw new Fault('usage', `${path} has other content than secrets of an apply`, 'Name a file of its own.')
  return parsed
}
