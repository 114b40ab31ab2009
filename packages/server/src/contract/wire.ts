import { type TOptional, type TSchema, Type } from 'typebox'
import { formatId, type IdKind, idPattern } from '../values/id.ts'
import { namesOf, recordBy } from '../values/records.ts'
import { knownValues } from './document-schemas.ts'

/**
 * Shapes that recur on the wire. Every string, number and array of `/v1` is bounded: validation lists all faults of a request
 * at once, so an unbounded shape would let one request cause unbounded work.
 */

/** The largest integer that all JSON readers agree on; a larger one would be rounded silently. */
export const maxSafeInteger = Number.MAX_SAFE_INTEGER

/**
 * US dollars as a decimal string with at most nine decimals: never a JSON number, which readers take for a float. Up to
 * $8,999,999,999.999999999, so that its nano-dollars fit PostgreSQL's int8.
 */
export const Usd = Type.String({
  title: 'Usd',
  pattern: '^(0|[1-9][0-9]{0,8}|[1-8][0-9]{9})(\\.[0-9]{1,9})?$',
  maxLength: 20,
  description: 'US dollars as a decimal string, up to nine decimals.',
  examples: ['12.5'],
})

/** A time with its numeric offset, never `Z`, so that a reader always finds the offset in the same place. */
export const Timestamp = Type.String({
  title: 'Timestamp',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?[+-]\\d{2}:\\d{2}$',
  maxLength: 35,
  description: 'ISO-8601 timestamp with a numeric offset.',
  examples: ['2026-11-15T00:00:00.000+00:00'],
})

/** A time given by a caller, with any offset, and without leap seconds, which no clock here has. */
export const Moment = Type.String({
  title: 'Moment',
  format: 'date-time',
  pattern: '^[12][0-9]{3}-[0-9]{2}-[0-9]{2}.[0-9]{2}:[0-9]{2}:[0-5]',
  maxLength: 35,
  examples: ['2027-01-01T00:00:00+00:00'],
})

// `.` and `..` are excluded: joining a URL removes them, so that nothing named so could be reached.
const ownIdPattern = '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f]+$'
export const maxOwnIdLength = 200
export const isOwnId = (text: string) => new RegExp(ownIdPattern, 'u').test(text)

/** A caller's own id for something of theirs. It is not registered, so it is any text that a log can show. */
export const OwnId = Type.String({
  title: 'OwnId',
  minLength: 1,
  maxLength: maxOwnIdLength,
  pattern: ownIdPattern,
  examples: ['checkout'],
})

export const IsoDate = Type.String({
  title: 'IsoDate',
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  maxLength: 10,
  description: 'ISO-8601 date.',
  examples: ['2026-07-22'],
})

/** An SVG image, as documented. */
export const SvgImage = Type.String({
  description: 'An SVG image, light or dark by the reader’s preference.',
  examples: ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 480">…</svg>'],
})

export const Count = Type.Integer({ title: 'Count', minimum: 0, maximum: maxSafeInteger })

/** A response string whose values are known today; the documentation says that more may come. */
export const OneOf = (values: readonly string[], options: object = {}) =>
  Type.String({ examples: [values[0]], ...options, [knownValues]: [...values] })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Returns fields that may be left out, each with these keywords besides its own. */
export const optionalFields = <F extends Record<string, TSchema>>(fields: F, keywords?: object) =>
  recordBy(namesOf(fields), (name) => Type.Optional(keywords ? { ...fields[name], ...keywords } : fields[name]!)) as {
    [K in keyof F]: TOptional<F[K]>
  }

/** Returns the example id of a kind, always the same. */
export const exampleId = (kind: IdKind) => formatId(kind, '0192f3a5-ac96-774b-bcce-b302099a8057')

/** An identifier in a path: a malformed one names a resource that does not exist. */
export const PathId = (kind: IdKind) =>
  Type.String({ pattern: idPattern(kind), maxLength: 40, 'x-path-id': true, examples: [exampleId(kind)] })

export const OrgPath = Type.Object({ id: PathId('org') })
export const AdminOrgPath = Type.Object({ org_id: PathId('org') })

/** An identifier in a filter: one that is malformed or of another kind is a fault, not an empty page. */
export const IdFilter = (kinds: readonly IdKind[], description: string, example = kinds[0]!) =>
  Type.String({
    pattern: kinds.map(idPattern).join('|'),
    maxLength: 40,
    description,
    examples: [exampleId(example)],
  })

/** An identifier in a response. */
export const Id = (kind: IdKind) => Type.String({ examples: [exampleId(kind)] })

/** The identifier of a maker in a response and in a filter. */
export const MadeBy = Type.String({
  title: 'CreatorId',
  description:
    'The key that created it: `key_…`, or `sgr_…` for a support grant; null if created before this was recorded.',
  examples: [exampleId('key')],
})
export const MadeByFilter = (description: string) => IdFilter(['key', 'grant'], description)

/**
 * Marks a field that is computed at every read, such as usage or health, so that two reads may differ although nothing was
 * changed. A change accepts any value of it.
 */
export const Computed = <T extends TSchema>(schema: T): T => ({ ...schema, 'x-computed': true })
