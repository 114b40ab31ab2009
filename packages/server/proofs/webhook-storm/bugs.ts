import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import pg from 'pg'

/**
 * Loaded into a worker before the program itself, it plants the faults that `WEIR_STORM_BUG` names: each breaks one promise that the
 * storm must see broken.
 */

type Rows = Record<string, unknown>[]
interface Change {
  /** What is sent instead. */
  readonly text?: (text: string) => string
  /** What is answered instead; `run` asks on the same connection. */
  readonly rows?: (rows: Rows, run: (text: string, values: unknown[]) => Promise<unknown>) => Promise<Rows> | Rows
}

const changes: { readonly isMeant: (text: string) => boolean; readonly change: Change }[] = []
const whenAsked = (part: string, change: Change) => changes.push({ isMeant: (text) => text.includes(part), change })

const prototype = pg.Client.prototype as unknown as { query: (this: pg.Client, ...args: unknown[]) => unknown }
const original = prototype.query
prototype.query = function (...args) {
  const [asked, values] = args as [unknown, unknown[]]
  const meant = typeof asked === 'string' ? changes.filter(({ isMeant }) => isMeant(asked)) : []
  if (meant.length === 0) return original.apply(this, args)
  const run = (text: string, with_: unknown[]) => original.call(this, text, with_) as Promise<{ rows: Rows }>
  const text = meant.reduce((before, { change }) => change.text?.(before) ?? before, asked as string)
  return run(text, values).then(async (result) => {
    let { rows } = result
    for (const { change } of meant) rows = (await change.rows?.(rows, run)) ?? rows
    return { ...result, rows }
  })
}

const everyNth = (n: number) => {
  let count = 0
  return () => ++count % n === 0
}

/** A part of the statement that reads what is due. */
const whatIsDue = 'p.attempt_count'

const bugs: Readonly<Record<string, () => void>> = {
  /** Forgets a delivery as soon as it has read it. */
  'sent-at-most-once': () =>
    whenAsked(whatIsDue, {
      rows: async (rows, run) => {
        await run('delete from webhook_pending where id = any($1)', [rows.map(({ id }) => id)])
        return rows
      },
    }),
  /** Takes events and makes nothing of some. */
  'events-dropped': () => {
    const isDropped = everyNth(10)
    whenAsked('from take_events(', { rows: (rows) => rows.filter(() => !isDropped()) })
  },
  /** Gives queues back without saying when they are due again. */
  'lost-wake-up': () =>
    whenAsked('update webhook_queues q', { text: replacing('when s.enabled then', 'when false then') }),
  /** Signs some deliveries with what is nobody's secret. */
  'wrong-secret': () => {
    const isWrong = everyNth(10)
    const { createSecretKey } = crypto
    const wrong = (key: string, encoding: BufferEncoding) =>
      createSecretKey(/^wh(sec|org)_/.test(key) && isWrong() ? 'another' : key, encoding)
    Object.assign(crypto, { createSecretKey: wrong })
    syncBuiltinESMExports()
  },
  /** Signs with the new secret only, although the old one still counts. */
  'old-secret-forgotten': () =>
    whenAsked('left join webhook_org_secrets', {
      rows: (rows) => rows.map((row) => ({ ...row, sealed_previous: null })),
    }),
  /** Tells everything at once, whatever order was asked for. */
  unordered: () => whenAsked(whatIsDue, { text: replacing('where not d.ordered or', 'where true or') }),
  /** Makes the bytes of a body anew for some attempts. */
  'other-bytes': () => {
    const isOther = everyNth(5)
    whenAsked('select e.* from unnest', {
      rows: (rows) => rows.map((row) => (isOther() ? { ...row, payload: `${row['payload'] as string} ` } : row)),
    })
  },
}

function replacing(part: string, instead: string) {
  return (text: string) => {
    // A plant that does not find its place would prove nothing.
    if (!text.includes(part)) throw new Error(`no statement says any more: ${part}`)
    return text.replace(part, instead)
  }
}

for (const name of (process.env['WEIR_STORM_BUG'] ?? '').split(' ')) bugs[name]?.()
