declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  /** As much of the package as the tests use; it has no types of its own. */
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}
