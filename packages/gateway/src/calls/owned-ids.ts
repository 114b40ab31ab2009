import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../infra/clock.ts'

/** Something that a provider keeps of an answer: who may use it, and where it is. */
export interface Owned {
  /** A hash of the key that made it. */
  readonly owner: string
  readonly provider: string
  readonly model: string
}

const mostKept = 200_000
const dayMs = 86_400_000
/** Providers keep answers for 30 days. */
const keptDays = 31

export const ownerOf = (key: string): string => createHash('sha256').update(`owner ${key}`).digest('base64url')

/**
 * Ids of what providers keep of answers, with the caller that each belongs to. A provider sees one account, the gateway's: without this any
 * caller could read, continue or delete what another one made. An id that is not known here is nobody's. With a folder they outlive the process,
 * and gateways that share the folder know each other's: a file per day, to which all of them append.
 */
export class OwnedIds {
  readonly #ids = new Map<string, Owned>()
  readonly #read = new Map<string, number>()
  private readonly folder: string | undefined
  private readonly clock: Clock

  constructor(folder: string | undefined, clock: Clock) {
    this.folder = folder && join(folder, 'owned-ids')
    this.clock = clock
    if (this.folder === undefined) return
    for (const name of this.#files()) if (name < this.#dayBefore(keptDays)) unlinkSync(join(this.folder, name))
  }

  add(ids: readonly string[], owned: Owned) {
    const fresh = ids.filter((id) => isId(id) && !this.#ids.has(id))
    if (fresh.length === 0) return
    for (const id of fresh) this.#keep(id, owned)
    if (this.folder === undefined) return
    const lines = fresh
      .map((id) => `${id} ${owned.owner} ${owned.provider} ${encodeURIComponent(owned.model)}\n`)
      .join('')
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    appendFileSync(join(this.folder, this.#dayBefore(0)), lines, { mode: 0o600 })
  }

  find(id: string): Owned | undefined {
    if (!isId(id)) return undefined
    if (!this.#ids.has(id)) this.#readNew()
    return this.#ids.get(id)
  }

  #keep(id: string, owned: Owned) {
    // The first to make an id owns it, whatever a provider says later.
    if (this.#ids.has(id)) return
    this.#ids.set(id, owned)
    if (this.#ids.size <= mostKept) return
    const [oldest] = this.#ids.keys()
    if (oldest !== undefined) this.#ids.delete(oldest)
  }

  /** Reads what this and other processes have written since the last time. */
  #readNew() {
    if (this.folder === undefined) return
    // Only the newest files still grow.
    const files = this.#read.size === 0 ? this.#files() : this.#files().slice(-2)
    for (const name of files) {
      const from = this.#read.get(name) ?? 0
      const text = textFrom(join(this.folder, name), from)
      const end = text.lastIndexOf('\n') + 1
      this.#read.set(name, from + Buffer.byteLength(text.slice(0, end)))
      for (const line of text.slice(0, end).split('\n')) {
        const [id, owner, provider, model] = line.split(' ')
        if (id && owner && provider && model) this.#keep(id, { owner, provider, model: decodeURIComponent(model) })
      }
    }
  }

  #files(): string[] {
    if (this.folder === undefined || !existsSync(this.folder)) return []
    return readdirSync(this.folder)
      .filter((name) => /^\d{4}-\d\d-\d\d$/.test(name))
      .sort()
  }

  #dayBefore(days: number): string {
    return new Date(this.clock.wallMs() - days * dayMs).toISOString().slice(0, 10)
  }
}

const isId = (id: string) => /^[A-Za-z0-9_-]{1,200}$/.test(id)

function textFrom(path: string, from: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('latin1')
  } finally {
    closeSync(file)
  }
}
