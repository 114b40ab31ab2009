import { createSecretKey, type KeyObject } from 'node:crypto'

const keyObjects = new WeakMap<Buffer, KeyObject>()

/** Returns a cached key object: given raw bytes, Node spends ten times the cost of a short message on importing them. */
export function cachedKeyObject(bytes: Buffer): KeyObject {
  let key = keyObjects.get(bytes)
  if (!key) keyObjects.set(bytes, (key = createSecretKey(bytes)))
  return key
}
