import { hash } from 'node:crypto'

/** Keys that stand in the documentation and the examples of gateways, and those that people think up: everybody knows them. */
const words =
  `litellm test testing admin master master-key my-master-key key secret password dummy demo local default proxy
  litellm-master-key your-key your-master-key anything none xxx 12345 123456 1234567890`.split(/\s+/)
const longestNumber = 4

/** Returns the keys `sk-0` to `sk-9999`, also with leading zeros. */
function* numbers() {
  for (let length = 1; length <= longestNumber; length++)
    for (let number = 0; number < 10 ** length; number++) yield String(number).padStart(length, '0')
}

let digests: ReadonlySet<string> | undefined

/** True for the digest of a key that is no secret. Made on first use. */
export function isWellKnown(digest: string): boolean {
  digests ??= new Set(['', ...words, ...numbers()].map((text) => hash('sha256', `sk-${text}`)))
  return digests.has(digest)
}
