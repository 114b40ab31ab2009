import type { FieldFault } from './errors.ts'
import { parseJsonText, utf8Fault } from './json-body.ts'
import { excessFault, JsonStructure } from './json-bounds.ts'
import type { BodyType } from './routes.ts'
import { bodyFaultsOf, unreadable } from './unreadable-body.ts'

const newline = 0x0a

/**
 * Body type of NDJSON: one JSON value per line, read as elements of the array `field`. Lines beyond the maximum are not read:
 * one of them is enough for validation to report too many.
 */
export const readNdjson = (field: string, maxLines: number): BodyType => ({
  source: { url: import.meta.url, name: 'readNdjson', parameters: [field, maxLines] },
  schema: { type: 'string', description: `One element of \`${field}\` as JSON on each line.` },
  read: (bytes, bounds) => {
    const fault = utf8Fault(bytes)
    if (fault !== undefined) return fault
    const values: unknown[] = []
    const faults: FieldFault[] = []
    const structure = new JsonStructure(bounds)
    let start = 0
    while (start < bytes.length && values.length <= maxLines) {
      const next = bytes.indexOf(newline, start)
      const end = next < 0 ? bytes.length : next
      const place = `${field}.${values.length}`
      const excess = structure.excessIn(bytes, start, end)
      // The total over all lines is not a fault of the line that reaches it.
      if (excess === 'structure') return unreadable(excessFault(excess, bounds, 'body'))
      const line = excess === undefined ? bytes.toString('utf8', start, end).trim() : undefined
      start = end + 1
      if (line === '') continue
      const value = line === undefined ? unreadable(excessFault('depth', bounds, place)) : parseJsonText(line, place)
      faults.push(...(bodyFaultsOf(value) ?? []))
      values.push(value)
    }
    // Too many elements is the only fault of an array that is reported instead of those inside it.
    return faults.length > 0 && values.length <= maxLines ? unreadable(...faults) : { [field]: values }
  },
})
