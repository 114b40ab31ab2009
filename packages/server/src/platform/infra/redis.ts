import { createHash } from 'node:crypto'
import type { Secret } from '../../values/secret.ts'
import { hashSlot, parseRedirection, parseSlots } from './cluster-slots.ts'
import type { Log } from './log.ts'
import { isReply, openRedisNode, type RedisNode, type RedisTls } from './redis-node.ts'

/**
 * Client for Redis, which holds nothing that must be recovered: its absence is a state to report, never a reason to fail or to
 * wait, and a command is answered within its time or abandoned. A single Redis is treated as a cluster of one node that holds
 * every slot; every connect asks which of the two it is.
 */
export interface Redis {
  readonly isReachable: () => Promise<boolean>
  /** Runs a script on the node of its keys. All of them carry the same hash tag: `{tag}`. */
  readonly run: (script: Script, tag: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>
  readonly close: () => Promise<void>
}

export interface Script {
  readonly text: string
  readonly sha1: string
}

export const defineScript = (text: string): Script => ({
  text,
  sha1: createHash('sha1').update(text).digest('hex'),
})

const defaultCommandTimeoutMs = 250
const maxRedirections = 4
const refreshEveryMs = 100

interface RedisOptions {
  readonly url: Secret
  readonly log: Log
  /** TLS options for `rediss://`: trusted authorities and client certificate. */
  readonly tls?: RedisTls
  readonly commandTimeoutMs?: number
}

export const openRedis = (options: RedisOptions): Redis => new RedisCluster(options)

class RedisCluster implements Redis {
  private readonly options: RedisOptions
  private readonly commandTimeoutMs: number
  private readonly configured: URL
  private readonly nodes = new Map<string, RedisNode>()
  private readonly seed: RedisNode
  /** Address of the node of each slot; absent while one node holds all. */
  private slotOwners: readonly (string | undefined)[] | undefined
  private isRefreshing = false
  private refreshes = 0
  private refreshedAtMs = Number.NEGATIVE_INFINITY
  private isClosed = false

  constructor(options: RedisOptions) {
    this.options = options
    this.commandTimeoutMs = options.commandTimeoutMs ?? defaultCommandTimeoutMs
    this.configured = new URL(options.url.reveal())
    this.seed = this.open(this.seedAddress)
  }

  readonly run = async (script: Script, tag: string, keys: readonly string[], args: readonly string[]) => {
    const deadlineMs = performance.now() + this.commandTimeoutMs
    const address = this.slotOwners?.[hashSlot(tag)]
    let node = address === undefined ? this.seed : this.open(address)
    let command = ['EVALSHA', script.sha1, String(keys.length), ...keys, ...args]
    let isAsking = false
    for (let hops = 0; ; hops++) {
      try {
        return await node.send(isAsking ? [['ASKING'], command] : [command], deadlineMs)
      } catch (error) {
        if (hops === maxRedirections) throw error
        if (isReply(error) && error.message.startsWith('NOSCRIPT')) {
          command = ['EVAL', script.text, ...command.slice(2)]
          continue
        }
        const redirection = parseRedirection(error, node.address)
        if (!redirection) {
          if (this.slotOwners && (!isReply(error) || error.message.startsWith('CLUSTERDOWN'))) this.refreshSoon()
          throw error
        }
        isAsking = redirection.isTemporary
        if (!isAsking) this.refreshSoon()
        node = this.open(redirection.address)
      }
    }
  }

  readonly isReachable = async () => {
    const deadlineMs = performance.now() + this.commandTimeoutMs
    const pings = [...this.nodes.values()].map((node) => node.send([['PING']], deadlineMs))
    return Promise.any(pings).then(
      () => true,
      () => false,
    )
  }

  readonly close = async () => {
    this.isClosed = true
    await Promise.all([...this.nodes.values()].map((node) => node.close()))
  }

  private get seedAddress() {
    return `${this.configured.hostname}:${this.configured.port || '6379'}`
  }

  private open(address: string): RedisNode {
    const known = this.nodes.get(address)
    if (known) return known
    const url = new URL(this.configured)
    if (address !== this.seedAddress) {
      const colon = address.lastIndexOf(':')
      url.hostname = address.slice(0, colon)
      url.port = address.slice(colon + 1)
    }
    const node: RedisNode = openRedisNode({
      url: url.href,
      address,
      tls: this.options.tls,
      log: this.options.log,
      onReady: () => {
        // A single Redis is asked too: the server at this address may have changed while it was away.
        if (address === this.seedAddress) this.refreshSoon()
      },
      onAway: () => {
        if (this.slotOwners) this.refreshSoon()
      },
    })
    this.nodes.set(address, node)
    return node
  }

  private refreshSoon() {
    if (this.isRefreshing || this.isClosed) return
    this.isRefreshing = true
    const waitMs = Math.max(0, this.refreshedAtMs + refreshEveryMs - performance.now())
    setTimeout(() => {
      void this.refresh().finally(() => {
        this.refreshedAtMs = performance.now()
        this.isRefreshing = false
      })
    }, waitMs).unref()
  }

  /**
   * Asks one node after another for the slot map until one answers; starts with a different one each time, as one may be
   * partitioned.
   */
  private async refresh() {
    const ready = [...this.nodes.values()].filter((node) => node.isReady())
    const first = this.refreshes++ % Math.max(ready.length, 1)
    for (const node of [...ready.slice(first), ...ready.slice(0, first)]) {
      try {
        const answer = await node.send([['CLUSTER', 'SLOTS']], performance.now() + this.commandTimeoutMs)
        if (this.isClosed) return
        this.updateTopology(parseSlots(answer, node.address))
        return
      } catch (error) {
        if (isReply(error) && error.message.includes('cluster support disabled')) return this.updateTopology(undefined)
      }
    }
  }

  private updateTopology(slots: readonly (string | undefined)[] | undefined) {
    this.slotOwners = slots
    const used = new Set<string | undefined>(slots)
    for (const address of used) if (address !== undefined) this.open(address)
    for (const [address, node] of this.nodes) {
      if (used.has(address) || node === this.seed) continue
      this.nodes.delete(address)
      void node.close()
    }
  }
}
