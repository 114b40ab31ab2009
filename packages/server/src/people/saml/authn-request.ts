import { randomBytes } from 'node:crypto'
import { generateServiceProviderMetadata, SAML } from '@node-saml/node-saml'
import type { SamlConnection } from './fact-rules.ts'

const requestIdBytes = 20
const relayStateForm = /^[A-Za-z0-9_-]{1,80}$/

/** Settings of a connection by which a request is made. */
export interface SamlRequestSettings extends SamlConnection {
  readonly ssoUrl: string
}

/** Request for a sign-in: the address to send the browser to, and the id that the answer must name. */
export interface AuthnRequest {
  readonly requestId: string
  readonly url: string
}

/**
 * Makes a request for a sign-in, in the redirect binding. `relayState` is a token that the caller can find its state by: it comes back
 * with the answer, unsigned and in everybody's sight. Neither a form of name nor a way of authentication is asked for: providers
 * refuse what they are not configured for, and what they send is mapped by rules of the connection.
 */
export async function makeAuthnRequest(settings: SamlRequestSettings, relayState: string): Promise<AuthnRequest> {
  if (!relayStateForm.test(relayState)) throw new Error('a relay state has 1 to 80 letters, digits, - and _')
  const requestId = `_${randomBytes(requestIdBytes).toString('hex')}`
  const requests = new SAML({
    entryPoint: settings.ssoUrl,
    issuer: settings.spEntityId,
    callbackUrl: settings.acsUrl,
    idpCert: [...settings.certificates],
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => requestId,
  })
  return { requestId, url: await requests.getAuthorizeUrlAsync(relayState, undefined, {}) }
}

/** Writes the metadata of this service that an identity provider can import. */
export const serviceProviderMetadata = ({ spEntityId, acsUrl }: Pick<SamlConnection, 'spEntityId' | 'acsUrl'>) =>
  generateServiceProviderMetadata({
    issuer: spEntityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
    generateUniqueId: () => `_${randomBytes(requestIdBytes).toString('hex')}`,
  })
