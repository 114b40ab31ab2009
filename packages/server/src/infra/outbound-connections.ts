import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type buildConnector, Client } from 'undici'
import { HandshakeFailed } from './outbound-failure.ts'
import { RefusedAddress } from './outbound-names.ts'

/**
 * Connections to any number of origins, one request at a time on each. A client of undici is one connection here: its pools
 * look through all their connections for a free one, and its agent through all its origins whenever one of them goes.
 */
export interface Connections {
  /** One that waits for work, or a new one; the caller gives it back by `release` or `drop`. */
  readonly take: (origin: string) => Connection
  readonly open: (origin: string) => Connection
  readonly close: () => Promise<void>
}

export interface Connection {
  readonly client: Client
  /** Whether it has carried a request before: the other side may be closing it at this moment. */
  readonly isUsed: boolean
  readonly release: () => void
  readonly drop: () => void
}

/** How sockets are allowed to come to an address. */
export interface Wall {
  readonly lookup: LookupFunction
  readonly isAllowedAddress: (address: string) => boolean
}

/** Connections that wait for another request; there can be far more origins than file descriptors. */
const maxIdle = 1_000
/** A connection in constant use would otherwise stay with an address that its name has long left. */
const maxAgeMs = 300_000
/** Where a name has several addresses: how long one is given before the next is tried as well. */
const nextAddressMs = 1_000

interface Entry extends Connection {
  readonly origin: string
  readonly openedMs: number
  isUsed: boolean
}

export function createConnections(wall: Wall): Connections {
  const all = new Set<Entry>()
  /** Those without work, the longest idle first. */
  const idle = new Set<Entry>()
  const idleByOrigin = new Map<string, Entry[]>()

  function leaveIdle(entry: Entry) {
    if (!idle.delete(entry)) return
    const siblings = idleByOrigin.get(entry.origin)!
    // The one that is taken stands last.
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
        socket = openSocket(wall, target, done)
      },
      allowH2: false,
      // Attempts are timed as a whole by whoever makes them.
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
        // The client does not know a socket that is still connecting.
        socket?.destroy()
      },
    }
    // With work it connects anew by itself, past the wall again.
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

function openSocket(wall: Wall, target: buildConnector.Options, done: buildConnector.Callback): Socket | undefined {
  const { hostname, protocol } = target
  const isName = isIP(hostname) === 0
  // A literal address is connected to without a lookup.
  if (!isName && !wall.isAllowedAddress(hostname)) {
    queueMicrotask(() => done(new RefusedAddress(), null))
    return undefined
  }
  const isTls = protocol === 'https:'
  const options = {
    host: hostname,
    port: Number(target.port) || (isTls ? 443 : 80),
    lookup: wall.lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    noDelay: true,
  }
  const socket = isTls
    ? connectTls({
        ...options,
        // Said outright, since an environment variable of Node would turn it off.
        rejectUnauthorized: true,
        // Neither addresses nor the dot at the end of a full name are names that TLS knows.
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
  // It stays: a socket without one would end the process.
  socket.on('error', (error) => {
    if (isDone) return
    isDone = true
    done(isConnected ? new HandshakeFailed((error as { reason?: string }).reason ?? error.message) : error, null)
  })
  return socket
}
