import { setTimeout as pause } from 'node:timers/promises'
import { Fault } from '../faults.ts'
import { fieldOf, isRecord, type Json, messageOf, recordsOf, textOf } from '../values.ts'

const mebibyte = 1_048_576
const largestPage = 64 * mebibyte
/** Lists that LiteLLM has no pages for. */
const largestList = 256 * mebibyte
const mostRows = 1_000_000
const timeoutMs = 300_000
const attempts = 5
const longestPauseMs = 60_000

export type Query = Readonly<Record<string, string>>

/**
 * The client of a LiteLLM. What it answers is judged as any stranger's word: bounded before it is read, and the master key goes to no other address.
 */
export class LitellmClient {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  /** Gets a whole list that has no pages. */
  async list(path: string): Promise<Json[]> {
    const json = await this.#get(path, {}, largestList)
    if (!Array.isArray(json) || json.length > mostRows) throw notUnderstood(path)
    return recordsOf(json)
  }

  async page(path: string, query: Query): Promise<Json> {
    const json = await this.#get(path, query, largestPage)
    if (!isRecord(json)) throw notUnderstood(path)
    return json
  }

  /** Gets all rows of a list in pages, each once: rows may move between pages while they are read. Ends with a fault where some were never seen. */
  async pages(path: string, query: Query, names: { rows: string; id: string; total: string }): Promise<Json[]> {
    const found = new Map<string, Json>()
    let total = 0
    for (let round = 0; round < 3; round++) {
      for (let number = 1, isMore = true; isMore; number++) {
        const page = await this.page(path, { ...query, page: String(number) })
        const rows = recordsOf(fieldOf(page, names.rows))
        total = countIn(page, names.total, path)
        for (const row of rows) {
          const id = textOf(row, names.id)
          if (id !== '') found.set(id, row)
        }
        if (found.size > mostRows) throw notUnderstood(path)
        isMore = rows.length > 0 && number < countIn(page, 'total_pages', path)
      }
      if (found.size >= total) return [...found.values()]
    }
    throw new Fault('unreachable', `LiteLLM says that ${path} has ${total} rows, and shows ${found.size}`)
  }

  async #get(path: string, query: Query, mostBytes: number): Promise<unknown> {
    const address = `${this.#url}${path}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`}`
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#attempt(address, path, mostBytes)
      if ('json' in answer) return answer.json
      if (attempt === attempts) throw answer.fault
      await pause(Math.min(longestPauseMs, answer.pauseMs ?? 500 * 2 ** attempt))
    }
  }

  async #attempt(address: string, path: string, mostBytes: number) {
    const headers = { authorization: `Bearer ${this.#key}`, accept: 'application/json' }
    let response: Response
    let text: string | undefined
    try {
      response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
      if (response.ok) text = await textWithin(response, mostBytes)
      else await response.body?.cancel()
    } catch (error) {
      if (error instanceof Fault) throw error
      const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error)
      return { fault: new Fault('unreachable', `no answer from LiteLLM at ${this.#url}: ${cause}`) }
    }
    const { status } = response
    if (status >= 300 && status < 400)
      throw new Fault(
        'unreachable',
        `LiteLLM's address leads to another one (${status} for ${path})`,
        'Give the address at which it is itself: the master key is sent to no other.',
      )
    if (status === 401 || status === 403)
      throw new Fault('unauthorized', 'LiteLLM does not take the key', 'It must be the master key, or an admin’s.')
    if (status === 404)
      throw new Fault(
        'unreachable',
        `LiteLLM has no ${path}`,
        'Update LiteLLM, or read its database: LITELLM_DATABASE_URL.',
      )
    if (status === 429 || status >= 500)
      return {
        fault: new Fault('unreachable', `LiteLLM answers ${path} with ${status}`),
        pauseMs: Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000 || undefined,
      }
    if (text === undefined) throw new Fault('unreachable', `LiteLLM answers ${path} with ${status}`)
    try {
      return { json: JSON.parse(text) as unknown }
    } catch {
      throw notUnderstood(path)
    }
  }
}

const notUnderstood = (path: string) =>
  new Fault(
    'unreachable',
    `the answer of LiteLLM to ${path} cannot be understood`,
    'Is this the address of a LiteLLM proxy?',
  )

/** Returns a count that an answer must have. */
export function countIn(page: Json, name: string, path: string): number {
  const count = fieldOf(page, name)
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) throw notUnderstood(path)
  return count
}

/** Reads a body; one that is larger is not read to its end. */
async function textWithin(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > mostBytes)
      throw new Fault(
        'unreachable',
        `an answer of LiteLLM is larger than ${mostBytes / mebibyte} MiB`,
        'Read its database instead: LITELLM_DATABASE_URL.',
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
