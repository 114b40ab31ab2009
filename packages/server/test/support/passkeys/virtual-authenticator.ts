import type { BrowserContext, Page } from 'playwright-core'

/** Gives a page a device that keeps passkeys. Returns a function that says whether it recognizes the person in front of it. */
export async function addAuthenticator(context: BrowserContext, page: Page) {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return async (isUserVerified: boolean) => {
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }
}
