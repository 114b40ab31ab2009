import { domainToASCII } from 'node:url'

const maxLength = 253
const form = /^(?=.{3,})(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** Returns the normal form of a domain: lower case, in the letters of DNS; undefined for anything that is none. */
export function normalDomain(text: string): string | undefined {
  const bare = text.trim().replace(/\.$/, '')
  // The converter is a reader of URLs, which cuts off what follows a host.
  const ascii = /^[\p{L}\p{M}\p{N}.-]+$/u.test(bare) ? domainToASCII(bare).toLowerCase() : ''
  return ascii.length <= maxLength && form.test(ascii) ? ascii : undefined
}

/** Returns the normal domain of an e-mail address. */
export function domainOfEmail(email: string): string | undefined {
  const at = email.lastIndexOf('@')
  return at > 0 ? normalDomain(email.slice(at + 1)) : undefined
}
