import { isDeepStrictEqual } from 'node:util'
import type { Answer } from './client.ts'

/** What was seen is not what is promised. */
export class Deviation extends Error {}

/** The installation does not let the program see this, through no fault of its own. */
export class Unseen extends Error {}

const shown = (value: unknown) => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

export function expectThat(holds: boolean, saw: string): asserts holds {
  if (!holds) throw new Deviation(saw)
}

export function expectSame(actual: unknown, expected: unknown, what: string) {
  expectThat(isDeepStrictEqual(actual, expected), `${what} is ${shown(actual)}, not ${shown(expected)}`)
}

export function expectMatch(actual: unknown, pattern: RegExp, what: string) {
  expectThat(typeof actual === 'string' && pattern.test(actual), `${what} is ${shown(actual)}`)
}

/** What an answer says, for messages. */
export const summaryOf = (answer: Answer) => `${answer.asked} answered ${answer.status} ${shown(answer.text)}`

export function expectStatus(answer: Answer, ...statuses: number[]): Answer {
  expectThat(statuses.includes(answer.status), `${summaryOf(answer)}, not ${statuses.join(' or ')}`)
  return answer
}

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly details: Record<string, unknown>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The error of an answer, which has the envelope and nothing else. */
export function errorIn(answer: Answer): ErrorBody {
  expectMatch(answer.headers['content-type'], /^application\/json(;|$)/, `content-type of ${answer.asked}`)
  expectThat(isObject(answer.json), `${summaryOf(answer)}, which is no object`)
  expectSame(Object.keys(answer.json), ['error'], `fields of the body of ${answer.asked}`)
  const { error } = answer.json
  expectThat(isObject(error), `${summaryOf(answer)}: error is no object`)
  expectSame(Object.keys(error).sort(), ['code', 'details', 'message'], `fields of error of ${answer.asked}`)
  expectThat(typeof error['code'] === 'string', `${summaryOf(answer)}: code is no string`)
  expectThat(typeof error['message'] === 'string', `${summaryOf(answer)}: message is no string`)
  expectThat(isObject(error['details']), `${summaryOf(answer)}: details is no object`)
  return error as unknown as ErrorBody
}

/** The details of a refusal, which has this status and this code. */
export function expectRefusal(answer: Answer, status: number, code: string): Record<string, unknown> {
  const error = errorIn(answer)
  expectThat(
    answer.status === status && error.code === code,
    `${answer.asked} answered ${answer.status} ${error.code}, not ${status} ${code}: ${shown(error.message)}`,
  )
  return error.details
}

/** A refusal whose details are exactly `{}`. */
export function expectBareRefusal(answer: Answer, status: number, code: string) {
  expectSame(expectRefusal(answer, status, code), {}, `details of ${code}`)
}

export interface FieldFault {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** The faults of a `validation_failed`. */
export function faultsIn(answer: Answer): FieldFault[] {
  const { fields } = expectRefusal(answer, 422, 'validation_failed')
  expectThat(Array.isArray(fields) && fields.length > 0, `${summaryOf(answer)}: details.fields is no list of faults`)
  for (const fault of fields as unknown[]) {
    expectThat(isObject(fault), `${summaryOf(answer)}: a fault is no object`)
    expectSame(Object.keys(fault).sort(), ['code', 'field', 'message'], `fields of a fault of ${answer.asked}`)
    for (const [name, value] of Object.entries(fault))
      expectThat(typeof value === 'string' && value !== '', `${summaryOf(answer)}: ${name} of a fault is no text`)
  }
  return fields as FieldFault[]
}

/** The faults as `field: code`, in order. */
export const faultCodes = (answer: Answer) =>
  faultsIn(answer)
    .map(({ field, code }) => `${field}: ${code}`)
    .sort()

/** The body of an answer that must be an object. */
export function objectIn(answer: Answer): Record<string, unknown> {
  expectThat(isObject(answer.json), `${summaryOf(answer)}, which is no object`)
  return answer.json
}

/** The rows of a list. */
export function rowsIn(answer: Answer): Record<string, unknown>[] {
  const { data } = objectIn(expectStatus(answer, 200))
  expectThat(Array.isArray(data), `${summaryOf(answer)}: data is no list`)
  return data as Record<string, unknown>[]
}

export function textIn(body: Record<string, unknown>, field: string): string {
  const value = body[field]
  expectThat(typeof value === 'string', `${field} is ${shown(value)}, no text`)
  return value
}
