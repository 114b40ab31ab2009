import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Cell } from '../../region-settings.ts'

const connectTimeoutMs = 2_000
const maxFreeSockets = 256
const keepAliveProbeMs = 10_000

/** A request to another cell, whose headers are names and values in turn. */
export interface CellRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly string[]
}

/** Connections to one cell, kept open between requests. */
export interface CellConnections {
  /** Sends the head of a request; it fails when no connection comes about in time. */
  readonly open: (request: CellRequest) => ClientRequest
  readonly close: () => void
}

/** Creates connections to a cell. Nothing of a path is normalized: what was signed is what is sent. */
export function createCellConnections({ url }: Cell): CellConnections {
  const { protocol, hostname, port } = new URL(url)
  const isTls = protocol === 'https:'
  const options = { keepAlive: true, keepAliveMsecs: keepAliveProbeMs, maxFreeSockets }
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options)
  const send = isTls ? httpsRequest : httpRequest
  const host = hostname.replace(/^\[|\]$/g, '')

  return {
    open: ({ method, target, headers }) => {
      const request = send({ agent, host, port, method, path: target, headers: [...headers], setHost: false })
      const timer = setTimeout(() => request.destroy(new Error('no connection in time')), connectTimeoutMs)
      const connected = () => clearTimeout(timer)
      request.once('close', connected)
      request.once('socket', (socket) => {
        if (request.reusedSocket) connected()
        else socket.once(isTls ? 'secureConnect' : 'connect', connected)
      })
      return request
    },
    close: () => agent.destroy(),
  }
}
