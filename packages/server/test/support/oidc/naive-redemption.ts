import type { Callback } from '../../../src/people/oidc/verification.ts'

/** A planted weakness: exchanges the code and believes whatever token comes, as a client without a library might; with PKCE or without. */
export const naively =
  ({ pkce = true } = {}) =>
  async ({ parameters, redirectUri, provider, secrets }: Callback) => {
    const { token_endpoint = '' } = provider.configuration.serverMetadata()
    const response = await fetch(token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: parameters.get('code') ?? '',
        redirect_uri: redirectUri,
        client_id: provider.client.clientId,
        ...(pkce && { code_verifier: secrets.codeVerifier }),
      }),
    })
    const { id_token } = (await response.json()) as { id_token?: string }
    return id_token ?? ({ refusal: 'code_refused' } as const)
  }
