import { isUtf8 } from 'node:buffer'
import { parse as parseJson } from 'secure-json-parse'
import { errorOf } from '../values/thrown.ts'
import { excessFault, type JsonBounds, JsonStructure } from './json-bounds.ts'
import type { BodyType } from './routes.ts'
import { unreadable } from './unreadable-body.ts'

/** Parses JSON text; returns its value, or the fault of the field that holds it. */
export function parseJsonText(text: string, field = 'body'): unknown {
  try {
    return parseJson(text, undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    // Only the message distinguishes a forbidden key from bad syntax: both are a SyntaxError.
    return errorOf(error).message.includes('forbidden prototype property')
      ? unreadable({
          field,
          code: 'invalid_value',
          message: 'Must not contain the keys __proto__ or constructor.prototype.',
        })
      : unreadable({
          field,
          code: 'invalid_json',
          message: 'Must be valid JSON.',
        })
  }
}

/** Returns the fault of bytes that are not UTF-8, for formats that are text. */
export const utf8Fault = (bytes: Buffer): unknown =>
  isUtf8(bytes) ? undefined : unreadable({ field: 'body', code: 'invalid_body', message: 'Must be valid UTF-8.' })

/** Returns the fault of JSON with more structure than its bounds allow; such JSON is not parsed. */
function structureFault(bytes: Buffer, bounds: JsonBounds): unknown {
  const excess = new JsonStructure(bounds).excessIn(bytes)
  return excess === undefined ? undefined : unreadable(excessFault(excess, bounds, 'body'))
}

export const jsonBody: BodyType = {
  read: (bytes, bounds) => structureFault(bytes, bounds) ?? utf8Fault(bytes) ?? parseJsonText(bytes.toString('utf8')),
}
