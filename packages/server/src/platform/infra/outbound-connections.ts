import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type buildConnector, Client } from 'undici'
import { present } from '../../values/present.ts'
import { HandshakeFailed } from './outbound-failure.ts'
import { RefusedAddress } from './outbound-resolver.ts'

/**
 * Connection pool over any number of origins, one request at a time per connection. An undici client is one connection here:
 * undici's pools scan all their connections for a free one, and its agent scans all its origins whenever one of them goes.
 */
export interface Connections {
  /** Returns an idle connection or a new one; the caller returns it with `release` or `drop`. */
  readonly take: (origin: string) => Connection
  readonly open: (origin: string) => Connection
  readonly close: () => Promise<void>
}

export interface Connection {
  readonly client: Client
  /** True when it has carried a request before: the other side may be closing it at this moment. */
  readonly isUsed: boolean
  readonly release: () => void
  readonly drop: () => void
}

/** Egress policy: decides the addresses that sockets may connect to. */
export interface EgressPolicy {
  readonly lookup: LookupFunction
  readonly isAllowedAddress: (address: string) => boolean
}

/** Limit on idle connections; there can be far more origins than file descriptors. */
const maxIdle = 1_000
/** Maximum age: a connection in constant use would otherwise stay with an address that its name has long left. */
const maxAgeMs = 300_000
/** Head start of one address of a name before the next is tried as well. */
const nextAddressMs = 1_000

interface Entry extends Connection {
  readonly origin: string
  readonly openedMs: number
  isUsed: boolean
}

export function createConnections(egress: EgressPolicy): Connections {
  const all = new Set<Entry>()
  /** Idle connections, the longest idle first. */
  const idle = new Set<Entry>()
  const idleByOrigin = new Map<string, Entry[]>()

  function leaveIdle(entry: Entry) {
    if (!idle.delete(entry)) return
    const siblings = present(idleByOrigin.get(entry.origin))
    // The connection that is taken is the last one.
    siblings.splice(siblings.lastIndexOf(entry), 1)
    if (siblings.length === 0) idleByOrigin.delete(entry.origin)
  }

  function becomeIdle(entry: Entry) {
    idle.add(entry)
    const siblings = idleByOrigin.get(entry.origin)
    if (siblings) siblings.push(entry)
    else idleByOrigin.set(entry.origin, [entry])
    if (idle.size > maxIdle) for (const longest of idle) return longest.drop()
  }

  function open(origin: string): Connection {
    let socket: Socket | undefined
    const client = new Client(origin, {
      connect: (target, done) => {
        socket = openSocket(egress, target, done)
      },
      allowH2: false,
      // The caller times each attempt as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
    })
    const entry: Entry = {
      origin,
      client,
      openedMs: performance.now(),
      isUsed: false,
      release: () => {
        entry.isUsed = true
        if (client.destroyed || performance.now() - entry.openedMs > maxAgeMs) entry.drop()
        else becomeIdle(entry)
      },
      drop: () => {
        leaveIdle(entry)
        all.delete(entry)
        client.destroy(null, () => undefined)
        // The client does not track a socket that is still connecting.
        socket?.destroy()
      },
    }
    // A client with pending work reconnects by itself, again under the egress policy.
    client.on('disconnect', () => {
      if (idle.has(entry)) entry.drop()
    })
    all.add(entry)
    return entry
  }

  return {
    open,
    take: (origin) => {
      const entry = idleByOrigin.get(origin)?.at(-1)
      if (!entry) return open(origin)
      leaveIdle(entry)
      return entry
    },
    close: async () => {
      const clients = [...all].map(({ client }) => client)
      for (const entry of all) entry.drop()
      await Promise.all(clients.map((client) => client.destroy()))
    },
  }
}

/** Opens a socket to an address that the policy allows. */
function openSocket(
  egress: EgressPolicy,
  target: Pick<buildConnector.Options, 'hostname' | 'protocol' | 'port'>,
  done: buildConnector.Callback,
): Socket | undefined {
  const { hostname, protocol } = target
  const isName = isIP(hostname) === 0
  // A literal address is connected to without a lookup.
  if (!isName && !egress.isAllowedAddress(hostname)) {
    queueMicrotask(() => done(new RefusedAddress(), null))
    return undefined
  }
  const isTls = protocol === 'https:'
  const options = {
    host: hostname,
    port: Number(target.port) || (isTls ? 443 : 80),
    lookup: egress.lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  }
  const socket = isTls
    ? connectTls({
        ...options,
        // Set explicitly: an environment variable of Node could disable it.
        rejectUnauthorized: true,
        // TLS server names are neither addresses nor names with a trailing dot.
        servername: isName ? hostname.replace(/\.$/, '') : '',
        ALPNProtocols: ['http/1.1'],
      })
    : connectTcp(options)
  let isConnected = false
  let isDone = false
  socket.once('connect', () => {
    isConnected = true
  })
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    isDone = true
    done(null, socket)
  })
  // The listener stays: an error on a socket without one would end the process.
  socket.on('error', (error) => {
    if (isDone) return
    isDone = true
    const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
    done(isConnected ? new HandshakeFailed(reason) : error, null)
  })
  return socket
}
