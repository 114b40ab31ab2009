import { type TSchema, Type } from 'typebox'
import { formatId, type IdKind, idPattern } from '../values/id.ts'

/**
 * The shapes that recur on the wire. Every string, number and array of `/v1` is bounded: validation lists all faults
 * of a request at once, so an unbounded shape would let one request make unbounded work.
 */

/** The largest integer that JSON readers everywhere agree on; beyond it a number would be rounded silently. */
export const maxSafeInteger = Number.MAX_SAFE_INTEGER

/**
 * US dollars as a decimal string with at most nine decimals: never a JSON number, which readers take for a float. Up to
 * $8,999,999,999.999999999, so that its nano-dollars fit PostgreSQL's int8.
 */
export const Usd = Type.String({
  pattern: '^(0|[1-9][0-9]{0,8}|[1-8][0-9]{9})(\\.[0-9]{1,9})?$',
  maxLength: 20,
  description: 'US dollars as a decimal string, up to nine decimals.',
  examples: ['12.5'],
})

/** A point in time with its numeric offset, never `Z`, so that a reader always finds the offset in the same place. */
export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?[+-]\\d{2}:\\d{2}$',
  maxLength: 35,
  description: 'ISO-8601 timestamp with a numeric offset.',
  examples: ['2026-11-15T00:00:00+00:00'],
})

/** A time that a caller gives, with any offset, and without leap seconds, which no clock here has. */
export const Moment = Type.String({
  format: 'date-time',
  pattern: '^[12][0-9]{3}-[0-9]{2}-[0-9]{2}.[0-9]{2}:[0-9]{2}:[0-5]',
  maxLength: 35,
  examples: ['2027-01-01T00:00:00+00:00'],
})

/** A caller's own name for something of theirs. Nobody registers it, so it is any text that a log can show. */
export const OwnId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  examples: ['checkout'],
})

export const IsoDate = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  maxLength: 10,
  description: 'ISO-8601 date.',
  examples: ['2026-07-22'],
})

export const Count = Type.Integer({ minimum: 0, maximum: maxSafeInteger })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const exampleId = (kind: IdKind) => formatId(kind, '0192f3a5-ac96-774b-bcce-b302099a8057')

/** An identifier in a path: a malformed one is a resource that does not exist. */
export const PathId = (kind: IdKind) =>
  Type.String({ pattern: idPattern(kind), maxLength: 40, 'x-path-id': true, examples: [exampleId(kind)] })

export const OrgPath = Type.Object({ id: PathId('org') })
export const AdminOrgPath = Type.Object({ org_id: PathId('org') })

/** An identifier in an answer. */
export const Id = (kind: IdKind) => Type.String({ examples: [exampleId(kind)] })
