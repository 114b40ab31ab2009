import { createSecretKey, type KeyObject } from 'node:crypto'

const prepared = new WeakMap<Buffer, KeyObject>()

/** Returns a cached key object: given raw bytes, Node spends ten times the cost of a short message on importing them. */
export function preparedKey(bytes: Buffer): KeyObject {
  let key = prepared.get(bytes)
  if (!key) prepared.set(bytes, (key = createSecretKey(bytes)))
  return key
}
