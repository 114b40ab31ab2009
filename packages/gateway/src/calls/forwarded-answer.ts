import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { RequestFault } from '../dialects/dialect.ts'
import { returnedHeaders } from '../upstreams/headers.ts'
import type { Upstream } from '../upstreams/upstream.ts'

interface FreeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers: Record<string, string | string[]>
  readonly body: Buffer | null
}

/** Sends a request that the provider does not bill, and passes its answer on. */
export async function forwardAnswer(upstream: Upstream, request: FreeRequest, response: ServerResponse) {
  const answer = await upstream.pool.request(request)
  if (upstream.refusesGateway(answer.statusCode)) {
    await answer.body.dump()
    throw new RequestFault('invalid_request', 'the provider refuses the key of this gateway')
  }
  response.writeHead(answer.statusCode, returnedHeaders(answer.headers, false))
  await pipeline(answer.body, response)
}
