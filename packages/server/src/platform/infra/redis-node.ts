import { createClient, ErrorReply } from '@redis/client'
import { lastOf } from '../../values/present.ts'
import type { Secret } from '../../values/secret.ts'
import type { Log } from './log.ts'

/**
 * One Redis node, over one connection. A command is answered by its deadline or abandoned. A node that missed a deadline gets
 * no further commands until it answers a ping, so a hanging Redis delays the first callers for a moment and all others not at
 * all.
 */
export interface RedisNode {
  /** Address as `host:port`, the way a cluster's replies name the node. */
  readonly address: string
  readonly isReady: () => boolean
  /** Sends commands together, in order, and returns the reply to the last one. */
  readonly send: (commands: readonly string[][], deadlineMs: number) => Promise<unknown>
  readonly close: () => Promise<void>
}

interface NodeOptions {
  readonly url: string
  readonly address: string
  readonly tls: RedisTls | undefined
  readonly log: Log
  readonly onReady: () => void
  readonly onAway: () => void
}

const connectTimeoutMs = 2_000
const maxReconnectDelayMs = 500
const pingTimeoutMs = 1_000
/** Limit on commands that await a reply; more of them would wait in vain. */
const maxWaitingCommands = 10_000

export class RedisUnavailable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RedisAway'
  }
}

export const isReply = (error: unknown): error is ErrorReply => error instanceof ErrorReply

export function openRedisNode({ url, address, tls, log, onReady, onAway }: NodeOptions): RedisNode {
  let closed = false
  let isHanging = false
  let wasReachable = true
  let connecting: Promise<unknown>
  let client = connect()

  function connect() {
    const opened = createNodeClient(url, tls, () => closed)
    opened.on('error', (error: unknown) => {
      if (closed || opened !== client) return
      away(error)
    })
    opened.on('ready', () => {
      if (closed || opened !== client) return
      if (!wasReachable) log.info({ redis: address }, 'redis can be reached again')
      wasReachable = true
      onReady()
    })
    // The client keeps trying by itself; the program must start without Redis too.
    connecting = opened.connect().catch(() => undefined)
    return opened
  }

  function away(error: unknown) {
    // Logged once per outage: the client reports every failed attempt to reconnect.
    if (wasReachable) log.warn({ error, redis: address }, 'redis cannot be reached')
    wasReachable = false
    onAway()
  }

  /**
   * Waits until a hanging node answers. A half-open connection never ends by itself: pings keep it busy, so the idle timeout
   * does not notice it.
   */
  async function waitOutHang() {
    isHanging = true
    try {
      await withinTime(client.ping(), pingTimeoutMs)
    } catch (error) {
      if (closed) return
      away(error)
      client.destroy()
      client = connect()
    } finally {
      isHanging = false
    }
  }

  return {
    address,
    isReady: () => client.isReady && !isHanging,
    send: async (commands, deadlineMs) => {
      if (!client.isReady || isHanging) throw new RedisUnavailable('redis cannot be reached')
      // Sent in one turn of the event loop, so that no command of another caller comes in between.
      const answers = commands.map((command) => client.sendCommand(command))
      for (const answer of answers) answer.catch(() => undefined)
      try {
        return await withinTime(lastOf(answers), deadlineMs - performance.now())
      } catch (error) {
        if (error instanceof RedisUnavailable && !isHanging) void waitOutHang()
        throw error
      }
    },
    close: async () => {
      closed = true
      // A client that is destroyed while connecting would hold its socket until that times out.
      if (!client.isReady) await withinTime(connecting, 250).catch(() => undefined)
      client.destroy()
    },
  }
}

const createNodeClient = (url: string, tls: RedisTls | undefined, isClosed: () => boolean) =>
  createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxWaitingCommands,
    pingInterval: 1_000,
    socket: {
      ...(url.startsWith('rediss:') && secured(tls)),
      connectTimeout: connectTimeoutMs,
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => (isClosed() ? false : Math.min(50 * 2 ** retries, maxReconnectDelayMs)),
    },
  })

const secured = (tls: RedisTls | undefined) => ({
  tls: true as const,
  ...(tls?.ca && { ca: tls.ca.reveal() }),
  ...(tls?.certificate && { cert: tls.certificate.reveal() }),
  ...(tls?.key && { key: tls.key.reveal() }),
})

/**
 * Races a command against a timer, because the client's timeouts do not bound a command that was already sent. Data that has
 * arrived is read first: after a pause of this process the reply may be there already.
 */
async function withinTime<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new RedisUnavailable('redis did not answer in time'))
    timer = setTimeout(() => setImmediate(giveUp), Math.max(timeoutMs, 0))
  })
  command.catch(() => undefined)
  try {
    return await Promise.race([command, late])
  } finally {
    clearTimeout(timer)
  }
}
export interface RedisTls {
  readonly ca?: Secret | undefined
  readonly certificate?: Secret | undefined
  readonly key?: Secret | undefined
}
