import { Fault } from '../faults.ts'
import { fieldOf, type Json, recordsOf, textOf } from '../values.ts'
import { countIn, type LitellmClient } from './api-client.ts'
import { timeOf } from './labels.ts'
import type { SpendLog } from './source.ts'

const path = '/spend/logs/v2'
/** The most rows of a page. */
const mostRows = 1_000
/** Rows that a window should have: one that has more than a page is asked for again, shorter. */
const wantedRows = 700
/** LiteLLM counts no further. */
const mostCounted = 10_000
const mostPagesOfASecond = 100
const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 86_400_000]
const longestWindowMs = 10 * dayMs
/** Orders in which a second is read that has more calls than a page: LiteLLM's order leaves ties open, so one may show a call twice and another not. */
const orders = ['startTime', 'endTime', 'total_tokens', 'spend'] as const

interface Window {
  readonly from: number
  /** The end, which LiteLLM includes and we do not. */
  readonly to: number
}

/**
 * The log of LiteLLM as its API shows it. Pages by number would skip calls while others are added, so it is read in windows of time that fit in a
 * page. The text of calls is not in it.
 */
export class ApiLogs {
  readonly #client: LitellmClient

  constructor(client: LitellmClient) {
    this.#client = client
  }

  async *read(since: Date): AsyncGenerator<SpendLog[]> {
    for await (const { window, page } of this.#windows(since, mostRows)) {
      const rows = countIn(page, 'total', path) > mostRows ? await this.#second(window) : rowsOf(page)
      if (rows.length > 0 && rows.every((row) => isOutside(row, window)))
        throw new Fault('unreachable', `LiteLLM answers ${path} with calls of another time`)
      const logs = rows.filter((row) => isWithin(row, window)).map(logOf)
      if (logs.length > 0) yield logs
    }
  }

  async count(since: Date): Promise<number> {
    let count = 0
    for await (const { window, page } of this.#windows(since, mostCounted)) {
      count += countIn(page, 'total', path)
      // What is at the very end of a window is at the beginning of the next too.
      count -= countIn(await this.#page({ from: window.to, to: window.to }, 1, 1), 'total', path)
    }
    return count
  }

  /** Finds windows with at most so many calls; one of a second may have more. */
  async *#windows(since: Date, most: number): AsyncGenerator<{ window: Window; page: Json }> {
    const end = Math.ceil((Date.now() + dayMs) / secondMs) * secondMs
    const rows = most === mostRows ? mostRows : 1
    let length = hourMs
    for (let from = Math.floor(since.getTime() / secondMs) * secondMs; from < end; ) {
      const window = { from, to: Math.min(from + length, end) }
      const page = await this.#page(window, 1, rows)
      const total = countIn(page, 'total', path)
      const isTooMany = total > most || fieldOf(page, 'total_is_capped') === true
      if (isTooMany && window.to - from > secondMs) {
        length = wholeSeconds(((window.to - from) * wantedRows * (most / mostRows)) / total / 2)
        continue
      }
      yield { window, page }
      const wanted = (length * wantedRows * (most / mostRows)) / Math.max(total, 1)
      length = wholeSeconds(Math.min(length * 4, wanted, longestWindowMs))
      from = window.to
    }
  }

  /** Reads the calls of one second that has more than a page, in several orders until each has been seen. */
  async #second(window: Window): Promise<Json[]> {
    const found = new Map<string, Json>()
    for (const order of orders) {
      for (let number = 1; number <= mostPagesOfASecond; number++) {
        const page = await this.#page(window, number, mostRows, order)
        const rows = rowsOf(page)
        for (const row of rows) found.set(textOf(row, 'request_id'), row)
        const isComplete = fieldOf(page, 'total_is_capped') !== true && found.size >= countIn(page, 'total', path)
        if (isComplete) return [...found.values()]
        if (rows.length < mostRows) break
      }
    }
    throw new Fault(
      'unreachable',
      `LiteLLM does not show all calls of ${new Date(window.from).toISOString()}`,
      'Read its database instead: LITELLM_DATABASE_URL.',
    )
  }

  #page({ from, to }: Window, page: number, rows: number, order: string = orders[0]): Promise<Json> {
    return this.#client.page(path, {
      start_date: dateOf(from),
      end_date: dateOf(to),
      page: String(page),
      page_size: String(rows),
      sort_by: order,
      sort_order: 'asc',
    })
  }
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
const wholeSeconds = (ms: number) => Math.max(1, Math.floor(ms / secondMs)) * secondMs
const rowsOf = (page: Json) => recordsOf(fieldOf(page, 'data'))

const startOf = (row: Json) => timeOf(textOf(row, 'startTime'))?.getTime()

/** True for calls of a window, and for those without a time, which are counted as refused. */
function isWithin(row: Json, { from, to }: Window): boolean {
  const start = startOf(row)
  return start === undefined || (start >= from && start < to)
}

function isOutside(row: Json, { from, to }: Window): boolean {
  const start = startOf(row)
  return start !== undefined && (start < from || start > to)
}

/** Returns a call as the database has it, whatever types an answer has. */
function logOf(row: Json): SpendLog {
  return {
    request_id: textOf(row, 'request_id'),
    api_key: textOf(row, 'api_key'),
    spend: textOf(row, 'spend'),
    prompt_tokens: numberOf(row, 'prompt_tokens'),
    completion_tokens: numberOf(row, 'completion_tokens'),
    started: textOf(row, 'startTime'),
    ended: textOf(row, 'endTime'),
    model: textOf(row, 'model'),
    model_group: textOf(row, 'model_group'),
    custom_llm_provider: textOf(row, 'custom_llm_provider'),
    user: textOf(row, 'user'),
    end_user: textOf(row, 'end_user'),
    team_id: textOf(row, 'team_id'),
    organization_id: textOf(row, 'organization_id'),
    request_tags: tagsOf(fieldOf(row, 'request_tags')),
    status: textOf(row, 'status'),
  }
}

function numberOf(row: Json, name: string): number {
  const value = fieldOf(row, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** Tags are a JSON column, which this answer has as text. */
function tagsOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given) as unknown
  } catch {
    return []
  }
}
