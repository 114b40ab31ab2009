import { randomBytes } from 'node:crypto'
import { generateServiceProviderMetadata, SAML } from '@node-saml/node-saml'
import type { SamlConnection } from './fact-rules.ts'

const metadataIdBytes = 20
const requestIdForm = /^[A-Za-z_][A-Za-z0-9_.-]{0,254}$/
const relayStateForm = /^[A-Za-z0-9_-]{1,80}$/

/** Settings of a connection by which a request is made. */
export interface SamlRequestSettings extends SamlConnection {
  readonly ssoUrl: string
}

/**
 * Makes a request for a sign-in, in the redirect binding; returns the address to send the browser to. `requestId` is what the answer must
 * name: letters, digits and `-_.` behind a letter or `_`, as XML wants it. `relayState` is a token that the caller can find its state by: it comes back
 * with the answer, unsigned and in everybody's sight. Neither a form of name nor a way of authentication is asked for: providers
 * refuse what they are not configured for, and what they send is mapped by rules of the connection.
 */
export async function makeAuthnRequest(
  settings: SamlRequestSettings,
  requestId: string,
  relayState: string,
): Promise<string> {
  if (!requestIdForm.test(requestId)) throw new Error('XML does not take this for an id')
  if (!relayStateForm.test(relayState)) throw new Error('a relay state has 1 to 80 letters, digits, - and _')
  const requests = new SAML({
    entryPoint: settings.ssoUrl,
    issuer: settings.spEntityId,
    callbackUrl: settings.acsUrl,
    idpCert: [...settings.certificates],
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => requestId,
  })
  return requests.getAuthorizeUrlAsync(relayState, undefined, {})
}

/** Writes the metadata of this service that an identity provider can import. */
export const serviceProviderMetadata = ({ spEntityId, acsUrl }: Pick<SamlConnection, 'spEntityId' | 'acsUrl'>) =>
  generateServiceProviderMetadata({
    issuer: spEntityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
    generateUniqueId: () => `_${randomBytes(metadataIdBytes).toString('hex')}`,
  })
