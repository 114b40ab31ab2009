import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Matchers {
  readonly patterns: readonly { readonly exact?: string; readonly prefix?: string }[]
}
interface ExtAuthz {
  readonly failure_mode_allow: boolean
  readonly status_on_error: { readonly code: 'ServiceUnavailable' }
  readonly with_request_body: { readonly max_request_bytes: number; readonly allow_partial_message: boolean }
  readonly allowed_headers: Matchers
  readonly http_service: {
    readonly path_prefix: string
    readonly authorization_response: { readonly allowed_client_headers_on_success: Matchers }
  }
}
interface SendingRoute {
  readonly match: { readonly path: string }
  readonly request_headers_to_remove: readonly string[]
  readonly request_headers_to_add: readonly { readonly header: { readonly key: string; readonly value: string } }[]
}

const path = new URL('../../../../examples/envoy/envoy.json', import.meta.url)

/** The example's filter and the one route that it sends on. */
function readExample(): { filter: ExtAuthz; route: SendingRoute } {
  const { static_resources: resources } = JSON.parse(readFileSync(path, 'utf8'))
  const manager = resources.listeners[0].filter_chains[0].filters[0].typed_config
  return { filter: manager.http_filters[0].typed_config, route: manager.route_config.virtual_hosts[0].routes[0] }
}

const isListed = ({ patterns }: Matchers, name: string) =>
  patterns.some(({ exact, prefix }) => name === exact || (prefix !== undefined && name.startsWith(prefix)))

export interface ExtAuthzProxy {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts a proxy that asks and sends as Envoy's filter is documented to, by the example's configuration: the body is buffered whole, the
 * question has the headers that are always in it and those that are listed, 200 lets the call through, an answer of 5xx or none is an error,
 * and any other is relayed.
 */
export async function startExtAuthz(gatewayUrl: string, providerUrl: string, secret: string): Promise<ExtAuthzProxy> {
  const { filter, route } = readExample()

  const ask = async (request: IncomingMessage, body: Uint8Array<ArrayBuffer>) => {
    const headers = Object.entries(request.headers).filter(
      ([name]) => name === 'authorization' || isListed(filter.allowed_headers, name),
    )
    return fetch(`${gatewayUrl}${filter.http_service.path_prefix}${request.url}`, {
      method: request.method!,
      headers: { ...(Object.fromEntries(headers) as Record<string, string>), 'x-envoy-auth-partial-body': 'false' },
      body,
    })
  }

  const send = async (request: IncomingMessage, body: Uint8Array<ArrayBuffer>) => {
    const headers = new Headers(
      Object.entries(request.headers).filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === 'string' &&
          !['host', 'connection', 'content-length', 'transfer-encoding'].includes(entry[0]),
      ),
    )
    for (const name of route.request_headers_to_remove) headers.delete(name)
    for (const { header } of route.request_headers_to_add)
      headers.set(header.key, header.value.replace('%ENVIRONMENT(PROVIDER_KEY)%', secret))
    return fetch(providerUrl + request.url, { method: 'POST', headers, body })
  }

  const relay = async (decision: Response, response: ServerResponse) => {
    const headers = Object.fromEntries([...decision.headers].filter(([name]) => name !== 'transfer-encoding'))
    response.writeHead(decision.status, headers).end(Buffer.from(await decision.arrayBuffer()))
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = new Uint8Array(await buffer(request))
    const refuse = (status: number) => {
      response.writeHead(status).end()
    }
    if (body.length > filter.with_request_body.max_request_bytes) return refuse(413)
    const decision = await ask(request, body).catch(() => undefined)
    const isError = decision === undefined || decision.status >= 500
    if (isError && !filter.failure_mode_allow) return refuse(503)
    if (!isError && decision.status !== 200) return relay(decision, response)
    if (request.method !== 'POST' || request.url !== route.match.path) return refuse(404)
    const answer = await send(request, body)
    const listed = filter.http_service.authorization_response.allowed_client_headers_on_success
    const added = [...(decision?.headers ?? [])].filter(([name]) => isListed(listed, name))
    const type = answer.headers.get('content-type') ?? 'text/plain'
    response.writeHead(answer.status, { 'content-type': type, ...Object.fromEntries(added) })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
