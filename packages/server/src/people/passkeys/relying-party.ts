/** This service as authenticators know it: the origin of its pages, and the name of its host, to which passkeys are bound. */
export interface RelyingParty {
  readonly origin: string
  readonly id: string
}

const localName = /^localhost(?::\d{1,5})?$/

/**
 * Returns the relying party of a request; undefined where passkeys cannot be had. Under HTTPS it follows from the public address
 * alone; over plain HTTP browsers have passkeys on the name `localhost` only, for development.
 */
export function relyingPartyOf(publicUrl: string | undefined, host: string | undefined): RelyingParty | undefined {
  const { protocol, origin, hostname } = new URL(publicUrl ?? 'http://localhost')
  if (protocol === 'https:') return isName(hostname) ? { origin, id: hostname } : undefined
  return host !== undefined && localName.test(host) ? { origin: `http://${host}`, id: 'localhost' } : undefined
}

/** False for an address: browsers bind passkeys to names only. */
const isName = (hostname: string) => !hostname.startsWith('[') && !/^[\d.]+$/.test(hostname)
