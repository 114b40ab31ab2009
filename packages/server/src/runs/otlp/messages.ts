import { ApiError } from '../../contract/errors.ts'
import { unreadable } from '../../contract/unreadable-body.ts'
import { MalformedMessage, MessageReader, wire } from './protobuf.ts'
import type { AnyValue, KeyValue } from './traces.ts'

/** Messages that traces, logs and metrics have in common, in the field numbers of opentelemetry-proto 1.x. */

/** Far more than an exporter sends; a message can be two bytes, so the limit on the body's size would not bound them. */
const maxMessages = 200_000

/** Most attributes of spans that are unknown here unless the organization has mapped them. */
const maxOthers = 200_000
const maxOtherKey = 200
/** Longest value in bytes; a name has at most 200 characters. */
const maxOtherValue = 800

export class Budget {
  #left = maxMessages
  #othersLeft = maxOthers

  spend() {
    if (this.#left-- <= 0)
      throw new ApiError('payload_too_large', {}, { message: 'The request has too many messages.' })
  }

  spendOther() {
    if (this.#othersLeft-- <= 0)
      throw new ApiError('payload_too_large', {}, { message: 'The request has too many attributes.' })
  }
}

/** Creates a reader of bodies; what it reads is called `what` in errors. */
export const bodyReader =
  (what: string, read: (reader: MessageReader, budget: Budget) => unknown) =>
  (bytes: Buffer): unknown => {
    try {
      return read(new MessageReader(bytes), new Budget())
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      return unreadable({
        field: 'body',
        code: 'invalid_body',
        message: `The body is not a protobuf message of ${what}.`,
      })
    }
  }

export interface Found {
  readonly attributes: KeyValue[]
  readonly others: string[]
  readonly budget: Budget
  /** The attributes that are read whatever their form. */
  readonly wanted: ReadonlySet<string> | 'all'
}

/** Creates the place for what is found in one message. */
export const newFound = (budget: Budget, wanted: Found['wanted']): Found => ({
  attributes: [],
  others: [],
  budget,
  wanted,
})

export function readResource(reader: MessageReader, found: Found) {
  while (reader.next())
    if (reader.is(1, wire.bytes)) readAttribute(reader.message(), found)
    else reader.skip()
}

export function readAttribute(reader: MessageReader, { budget, attributes, others, wanted }: Found) {
  let key = ''
  let value: MessageReader | undefined
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) key = reader.text()
    else if (reader.is(2, wire.bytes)) value = reader.message()
    else reader.skip()
  }
  if (!value) return
  if (wanted === 'all' || wanted.has(key)) attributes.push({ key, value: readValue(value, budget) })
  else if (key.length <= maxOtherKey) addOther(key, value, others, budget)
}

/** Keeps an attribute that the organization may have mapped, which is not known yet; only values that can be names are kept. */
function addOther(key: string, value: MessageReader, others: string[], budget: Budget) {
  let text: string | undefined
  while (value.next()) {
    if (value.is(1, wire.bytes) && value.size() <= maxOtherValue) text = value.text()
    else if (value.is(3, wire.varint)) text = String(value.integer())
    else value.skip()
  }
  if (text === undefined) return
  budget.spendOther()
  others.push(key, text)
}

/** Reads a value; a list is read one level deep, because no attribute that is used goes deeper. */
export function readValue(reader: MessageReader, budget: Budget, isElement = false): AnyValue {
  budget.spend()
  let value: AnyValue = {}
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) value = { stringValue: reader.text() }
    else if (reader.is(2, wire.varint)) value = { boolValue: reader.integer() !== 0n }
    else if (reader.is(3, wire.varint)) value = { intValue: String(reader.integer()) }
    else if (reader.is(4, wire.fixed64)) value = { doubleValue: reader.double() }
    else if (reader.is(5, wire.bytes) && !isElement) value = { arrayValue: readList(reader.message(), budget) }
    else reader.skip()
  }
  return value
}

function readList(reader: MessageReader, budget: Budget): { values: AnyValue[] } {
  const values: AnyValue[] = []
  while (reader.next())
    if (reader.is(1, wire.bytes)) values.push(readValue(reader.message(), budget, true))
    else reader.skip()
  return { values }
}
