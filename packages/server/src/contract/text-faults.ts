import type { ErrorObject } from 'ajv'
import type { FieldErrorCode } from './errors.ts'

/** Messages for faults of text: a pattern says nothing to people. */

interface TextSchema {
  readonly pattern?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
}

const schemaOf = (error: ErrorObject) => (error.parentSchema ?? {}) as TextSchema

const decimalPattern = /^\^(-\?)?\(0\|\[1-9\]/
const isDecimal = ({ pattern }: TextSchema) => pattern !== undefined && decimalPattern.test(pattern)
const isSigned = ({ pattern }: TextSchema) => pattern?.startsWith('^-?') === true

/** Upper bound of amounts of any kind. */
const maxAmount = 9_000_000_000

const isNumber = (text: unknown): text is string => typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text)

const isBeyond = (text: string, schema: TextSchema) =>
  (text.startsWith('-') && !isSigned(schema)) || Math.abs(Number(text)) >= maxAmount

/** Returns the code of a malformed text, when a specific one applies. */
export function textCodeOf(error: ErrorObject): FieldErrorCode | undefined {
  if (error.data === '' && ['pattern', 'format', 'enum', 'const'].includes(error.keyword)) return 'empty'
  if (error.keyword !== 'pattern' && error.keyword !== 'format' && error.keyword !== 'maxLength') return undefined
  const schema = schemaOf(error)
  return isDecimal(schema) && isNumber(error.data) && isBeyond(error.data, schema) ? 'out_of_range' : undefined
}

/** Describes the expected form of a text. */
export function describeText(error: ErrorObject, isInUrl: boolean): string | undefined {
  const schema = schemaOf(error)
  if (isDecimal(schema) && ['pattern', 'maxLength'].includes(error.keyword)) return describeDecimal(error, schema)
  if (error.keyword !== 'pattern' && error.keyword !== 'format') return undefined
  if (error.data === '.' || error.data === '..') return 'Must not be "." or "..".'
  if (schema.pattern?.includes('[^\\u0000')) return 'Must not contain control characters.'
  const [example] = schema.examples ?? []
  // Form decoding turns the plus sign of an offset into a space.
  const lostPlus = isInUrl && typeof error.data === 'string' && / \d\d:\d\d$/.test(error.data)
  const hint = lostPlus ? ' In a URL, "+" is written "%2B".' : ''
  return typeof example === 'string'
    ? `Must have the form of "${example}".${hint}`
    : `Must have the documented form.${hint}`
}

function describeDecimal(error: ErrorObject, schema: TextSchema): string {
  if (isNumber(error.data) && isBeyond(error.data, schema))
    return isSigned(schema)
      ? 'Must be above -$9,000,000,000 and below $9,000,000,000.'
      : 'Must be at least $0 and below $9,000,000,000.'
  const decimals = /\{1,(\d+)\}\)\?\$$/.exec(schema.pattern ?? '')?.[1] ?? '9'
  return `Must be a decimal number in a string, with at most ${decimals} decimals, such as "12.5".`
}
