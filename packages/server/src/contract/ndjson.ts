import { bodyFaultsOf, notUtf8, parseJsonText, unreadable } from './body.ts'
import type { FieldFault } from './errors.ts'
import type { BodyType } from './routes.ts'

const newline = 0x0a

/**
 * One JSON value a line, read as if they stood in an array of that field. Lines beyond the most that the field may have are
 * not read: one of them is enough for validation to say that there are too many.
 */
export const readNdjson = (field: string, maxLines: number): BodyType => ({
  schema: { type: 'string', description: `One element of \`${field}\` as JSON on each line.` },
  read: (bytes) => {
    const fault = notUtf8(bytes)
    if (fault !== undefined) return fault
    const values: unknown[] = []
    const faults: FieldFault[] = []
    let start = 0
    while (start < bytes.length && values.length <= maxLines) {
      const next = bytes.indexOf(newline, start)
      const end = next < 0 ? bytes.length : next
      const line = bytes.toString('utf8', start, end).trim()
      start = end + 1
      if (line === '') continue
      const value = parseJsonText(line, `${field}.${values.length}`)
      faults.push(...(bodyFaultsOf(value) ?? []))
      values.push(value)
    }
    // Too many is the one fault of an array that is told instead of those inside it.
    return faults.length > 0 && values.length <= maxLines ? unreadable(...faults) : { [field]: values }
  },
})
