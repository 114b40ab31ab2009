import { type Name, names, wantedAttributes } from './names.ts'
import type { AnyValue, KeyValue } from './traces.ts'

export type AttributeValue = string | number | readonly string[]
export type Attributes = ReadonlyMap<string, AttributeValue>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The attributes that mean something here. What is no attribute is passed over, as are values that no field of a run can hold. */
export function attributesOf(list: unknown): Attributes {
  const found = new Map<string, AttributeValue>()
  if (!Array.isArray(list)) return found
  for (const item of list as unknown[]) {
    const { key, value } = (isObject(item) ? item : {}) as Partial<KeyValue>
    if (typeof key !== 'string' || !wantedAttributes.has(key) || !isObject(value)) continue
    const read = readValue(value)
    if (read !== undefined && read !== '') found.set(key, read)
  }
  return found
}

function readValue({ stringValue, intValue, doubleValue, arrayValue }: AnyValue): AttributeValue | undefined {
  if (typeof stringValue === 'string') return stringValue
  const number = intValue ?? doubleValue
  if (typeof number === 'number') return number
  // 64-bit integers are text in JSON, and so are the numbers that JSON does not have.
  if (typeof number === 'string' && number !== '') return Number(number)
  if (!isObject(arrayValue) || !Array.isArray(arrayValue.values)) return undefined
  return (arrayValue.values as unknown[]).flatMap((element) => {
    const text = isObject(element) ? (element as AnyValue).stringValue : undefined
    return typeof text === 'string' ? [text] : []
  })
}

/** What a span says, or else the resource that it comes from. */
export function attribute(name: Name, ...places: readonly Attributes[]): AttributeValue | undefined {
  for (const place of places)
    for (const each of names[name]) {
      const value = place.get(each)
      if (value !== undefined) return value
    }
  return undefined
}

/** A number is a name as well; a list is none. */
export function textAttribute(name: Name, ...places: readonly Attributes[]): string | undefined {
  const value = attribute(name, ...places)
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}
