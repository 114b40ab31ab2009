import { isRecord, recordIn } from '../../values/records.ts'
import type { AttributeValue } from './attribute-value.ts'
import { addDerived } from './derived-attributes.ts'
import { type Name, names, wantedAttributes } from './names.ts'
import type { AnyValue } from './traces.ts'

export type SpanAttributes = ReadonlyMap<string, AttributeValue>

/**
 * Returns the attributes of a span or a resource that are known here, or mapped by the organization. Malformed attributes are
 * skipped, as are values that no field of a run can hold.
 */
export function attributesOf(
  holder: unknown,
  mapped: ReadonlySet<string>,
  wanted: ReadonlySet<string> = wantedAttributes,
): SpanAttributes {
  const found = new Map<string, AttributeValue>()
  const { attributes, others } = recordIn(holder)
  for (const item of listOf(attributes)) {
    const { key, value } = recordIn(item)
    if (typeof key !== 'string' || !isRecord(value)) continue
    if (!wanted.has(key) && !mapped.has(key)) continue
    const read = readValue(value)
    if (read !== undefined && read !== '') found.set(key, read)
  }
  if (mapped.size > 0) addOthers(found, listOf(others), mapped)
  addDerived(found)
  return found
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function addOthers(found: Map<string, AttributeValue>, others: readonly unknown[], mapped: ReadonlySet<string>) {
  for (let index = 0; index + 1 < others.length; index += 2) {
    const [key, value] = [others[index], others[index + 1]]
    if (typeof key === 'string' && mapped.has(key) && typeof value === 'string' && value !== '') found.set(key, value)
  }
}

function readValue({ stringValue, intValue, doubleValue, arrayValue }: AnyValue): AttributeValue | undefined {
  if (typeof stringValue === 'string') return stringValue
  const number = intValue ?? doubleValue
  if (typeof number === 'number') return number
  // 64-bit integers are text in JSON, and so are the numbers that JSON does not have.
  if (typeof number === 'string' && number !== '') return Number(number)
  const { values } = recordIn(arrayValue)
  if (!Array.isArray(values)) return undefined
  return listOf(values).flatMap((element) => {
    const text = recordIn(element)['stringValue']
    return typeof text === 'string' ? [text] : []
  })
}

/** Returns an attribute of a span, or else of its resource. */
export const attribute = (name: Name, ...places: readonly SpanAttributes[]) => firstAttribute(names[name], places)

function firstAttribute(keys: readonly string[], places: readonly SpanAttributes[]): AttributeValue | undefined {
  for (const place of places)
    for (const key of keys) {
      const value = place.get(key)
      if (value !== undefined) return value
    }
  return undefined
}

export const textAttribute = (name: Name, ...places: readonly SpanAttributes[]) => firstText(names[name], places)

/** Returns the first attribute that is a text or a number; a list is neither. */
export function firstText(keys: readonly string[], places: readonly SpanAttributes[]): string | undefined {
  const value = firstAttribute(keys, places)
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}
