import type { FieldFault } from './errors.ts'

/**
 * Finds text that cannot be stored: JSON allows NUL and unpaired surrogates, but PostgreSQL refuses the one and nobody can send
 * the other back.
 */
export function findUnstorable(value: unknown, path: string, faults: FieldFault[]) {
  if (typeof value === 'string') {
    if (!isStorable(value)) faults.push(unstorable(path))
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      // Reported on the containing object: the name itself cannot be sent back.
      if (!isStorable(key)) {
        faults.push(unstorable(path))
        return
      }
      findUnstorable(inner, path === '' ? key : `${path}.${key}`, faults)
    }
  }
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()
const unstorable = (path: string): FieldFault => ({
  field: path || 'body',
  code: 'invalid_format',
  message: 'Must not contain NUL or an unpaired surrogate, which cannot be stored.',
})
