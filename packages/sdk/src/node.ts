import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Spool, SpooledRequest } from './spool.ts'

/**
 * A spool on disk, one file for each request, so that what a process could not report is reported by the next one. Several processes may share
 * a folder: a request that two of them send is carried out once. One folder for each organization.
 */
export class FileSpool implements Spool {
  readonly #folder: string
  readonly #maxEntries: number
  #ids: Promise<Set<string>> | undefined
  #written = 0

  constructor(folder: string, { maxEntries = 10_000 }: { readonly maxEntries?: number } = {}) {
    this.#folder = folder
    this.#maxEntries = maxEntries
  }

  async put(request: SpooledRequest, purpose: 'settlement' | 'cleanup'): Promise<boolean> {
    const room = purpose === 'cleanup' ? this.#maxEntries / 2 : this.#maxEntries
    let ids = await this.#known()
    if (!ids.has(request.id) && ids.size >= room) {
      // Another process may have made room.
      this.#ids = this.#read()
      ids = await this.#ids
      if (ids.size >= room) return false
    }
    ids.add(request.id)
    this.#written += 1
    const part = join(this.#folder, `${request.id}.${process.pid}-${this.#written}.part`)
    try {
      const file = await open(part, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify(request))
      } finally {
        await file.close()
      }
      // A reader sees the whole of it, or nothing.
      await rename(part, this.#fileOf(request.id))
      return true
    } catch (error) {
      ids.delete(request.id)
      await rm(part, { force: true })
      throw error
    }
  }

  async remove(id: string): Promise<void> {
    ;(await this.#known()).delete(id)
    await rm(this.#fileOf(id), { force: true })
  }

  async list(): Promise<readonly SpooledRequest[]> {
    const ids = await this.#read()
    this.#ids = Promise.resolve(ids)
    const requests = await Promise.all([...ids].map((id) => this.#load(id)))
    return requests.filter((request) => request !== undefined)
  }

  async #load(id: string): Promise<SpooledRequest | undefined> {
    try {
      return JSON.parse(await readFile(this.#fileOf(id), 'utf8')) as SpooledRequest
    } catch {
      // Another process has sent it meanwhile.
      return undefined
    }
  }

  #known(): Promise<Set<string>> {
    this.#ids ??= this.#read()
    return this.#ids
  }

  async #read(): Promise<Set<string>> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const names = await readdir(this.#folder)
    return new Set(names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length)))
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}
