import { fieldOf, isRecord, type Json } from '../values.ts'

/** A field whose value in the file differs from that on the server. */
export interface Difference {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

const isTime = (name: string) => /(_at|_from|^not_before)$/.test(name)
const isAmount = (name: string) => /usd/.test(name)

/** Returns a time as an instant, so that `Z` and `+00:00` are one; undefined for what is no time. */
export function instantOf(name: string, value: unknown): string | undefined {
  if (!isTime(name) || typeof value !== 'string') return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

const plainAmount = (text: string) => (/^\d+\.\d+$/.test(text) ? text.replace(/0+$/, '').replace(/\.$/, '') : text)

/** True where leaving a field out means the same as this value. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.values(value).every(isNothing))

/** Maps with names of their own choice: what the file does not name is not to be there. */
const maps = new Set(['pins', 'units_usd', 'multipliers', 'other_usd_per_million'])

/** Fields of elements that the server fills in where they are left out. */
const filledIn = new Set(['threshold', 'cache_read_usd_per_million', 'cache_write_usd_per_million'])

/** True where the file and the server say the same. A field that an object of the file does not name is not compared. */
export function isSame(name: string, wanted: unknown, found: unknown, isWhole = false): boolean {
  if (Array.isArray(wanted)) return Array.isArray(found) && isSameList(name, wanted, found)
  if (isRecord(wanted)) {
    if (!isRecord(found)) return isNothing(wanted) && isNothing(found)
    const named = Object.entries(wanted).every(([field, value]) =>
      isSame(isAmount(name) ? name : field, value, fieldOf(found, field), isWhole),
    )
    const rest = Object.entries(found).filter(([field]) => !Object.hasOwn(wanted, field) && !filledIn.has(field))
    return named && (!(isWhole || maps.has(name)) || rest.every(([, value]) => isNothing(value)))
  }
  if (typeof wanted === 'string' && typeof found === 'string') {
    const [one, other] = [instantOf(name, wanted), instantOf(name, found)]
    if (one !== undefined && other !== undefined) return one === other
    return isAmount(name) ? plainAmount(wanted) === plainAmount(found) : wanted === found
  }
  return wanted === found || (isNothing(wanted) && isNothing(found) && typeof wanted !== 'boolean')
}

function isSameList(name: string, wanted: readonly unknown[], found: readonly unknown[]): boolean {
  if (wanted.length !== found.length) return false
  if (wanted.some(isRecord)) return wanted.every((value, i) => isSame(name, value, found[i], true))
  const texts = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).toSorted()
  const [one, other] = [texts(wanted), texts(found)]
  return one.every((text, i) => text === other[i])
}

/** Returns what differs, for the fields that the file names. */
export function differencesOf(wanted: Json, found: Json, skipped: readonly string[] = []): Difference[] {
  return Object.entries(wanted).flatMap(([field, value]) => {
    if (skipped.includes(field)) return []
    const comparable = withoutFields(value, field, skipped)
    const current = fieldOf(found, field)
    return isSame(field, comparable, current) ? [] : [{ field, from: current, to: comparable }]
  })
}

/** Returns a nested object without the fields that cannot be read back (`oidc.client_secret`). */
function withoutFields(value: unknown, field: string, skipped: readonly string[]): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !skipped.includes(`${field}.${name}`)))
}

/** Returns a field as it is sent in a change: an object is sent as a whole, so what the file does not name keeps its value. */
export function merge(field: string, wanted: unknown, found: unknown): unknown {
  if (!isRecord(wanted) || !isRecord(found) || maps.has(field)) return wanted
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      Object.hasOwn(wanted, name) ? merge(name, fieldOf(wanted, name), fieldOf(found, name)) : fieldOf(found, name),
    ]),
  )
}
