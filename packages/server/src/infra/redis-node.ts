import { createClient, ErrorReply } from 'redis'
import type { Log } from './log.ts'
import type { RedisTls } from './redis.ts'

/**
 * One Redis process, over one connection. A command is answered by its deadline or given up. A process that let one
 * pass is asked nothing more until it answers a ping, so that a hanging Redis costs the first callers a moment and all
 * others nothing.
 */
export interface RedisNode {
  /** `host:port`, as the node is named in a cluster's answers. */
  readonly address: string
  readonly isReady: () => boolean
  /** Sends commands together, in order; answers what the last one answers. */
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
/** Commands that wait for an answer; more of them would only wait in vain. */
const maxWaitingCommands = 10_000

export class RedisAway extends Error {
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
    const opened = createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: maxWaitingCommands,
      pingInterval: 1_000,
      socket: {
        ...(url.startsWith('rediss:') && secured(tls)),
        connectTimeout: connectTimeoutMs,
        socketTimeout: 3_000,
        reconnectStrategy: (retries) => (closed ? false : Math.min(50 * 2 ** retries, maxReconnectDelayMs)),
      },
    })
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
    // It goes on trying by itself; the program must start without Redis too.
    connecting = opened.connect().catch(() => undefined)
    return opened
  }

  function away(error: unknown) {
    // Told once per outage: the client reports every failed attempt to reconnect.
    if (wasReachable) log.warn({ error, redis: address }, 'redis cannot be reached')
    wasReachable = false
    onAway()
  }

  /** A half-open connection never ends by itself: pings keep it busy, so the idle time-out does not see it. */
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
      if (!client.isReady || isHanging) throw new RedisAway('redis cannot be reached')
      // Sent in one turn of the event loop, so nothing of another caller comes between them.
      const answers = commands.map((command) => client.sendCommand(command))
      for (const answer of answers) answer.catch(() => undefined)
      try {
        return await withinTime(answers.at(-1)!, deadlineMs - performance.now())
      } catch (error) {
        if (error instanceof RedisAway && !isHanging) void waitOutHang()
        throw error
      }
    },
    close: async () => {
      closed = true
      // Destroyed while it connects, the client would hold on to the socket until that times out.
      if (!client.isReady) await withinTime(connecting, 250).catch(() => undefined)
      client.destroy()
    },
  }
}

const secured = (tls: RedisTls | undefined) => ({
  tls: true as const,
  ...(tls?.ca && { ca: tls.ca.reveal() }),
  ...(tls?.certificate && { cert: tls.certificate.reveal() }),
  ...(tls?.key && { key: tls.key.reveal() }),
})

/**
 * The client's own time-outs do not bound a command that was already sent, so a timer races it. It lets what has arrived
 * meanwhile be read first: after a pause of our own, the answer may be there already.
 */
async function withinTime<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new RedisAway('redis did not answer in time'))
    timer = setTimeout(() => setImmediate(giveUp), Math.max(timeoutMs, 0))
  })
  command.catch(() => undefined)
  try {
    return await Promise.race([command, late])
  } finally {
    clearTimeout(timer)
  }
}
