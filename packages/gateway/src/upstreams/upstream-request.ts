/** A request as it is about to be sent to a provider. */
export interface UpstreamRequest {
  readonly method: 'POST'
  readonly path: string
  readonly headers: Record<string, string | string[]>
  readonly body: Buffer
}

/** Returns the headers by which the gateway proves at a provider that it may send a request. */
export type Authorize = (request: UpstreamRequest) => Promise<Readonly<Record<string, string>>>
