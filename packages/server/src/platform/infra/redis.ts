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

export function openRedis(options: RedisOptions): Redis {
  const commandTimeoutMs = options.commandTimeoutMs ?? defaultCommandTimeoutMs
  const configured = new URL(options.url.reveal())
  const seedAddress = `${configured.hostname}:${configured.port || '6379'}`
  const nodes = new Map<string, RedisNode>()
  /** Address of the node of each slot; absent while one node holds all. */
  let slotOwners: readonly (string | undefined)[] | undefined
  let refreshing = false
  let refreshes = 0
  let refreshedAtMs = Number.NEGATIVE_INFINITY
  let closed = false

  function open(address: string): RedisNode {
    const known = nodes.get(address)
    if (known) return known
    const url = new URL(configured)
    if (address !== seedAddress) {
      const colon = address.lastIndexOf(':')
      url.hostname = address.slice(0, colon)
      url.port = address.slice(colon + 1)
    }
    const node: RedisNode = openRedisNode({
      url: url.href,
      address,
      tls: options.tls,
      log: options.log,
      onReady: () => {
        // A single Redis is asked too: the server at this address may have changed while it was away.
        if (address === seedAddress) refreshSoon()
      },
      onAway: () => {
        if (slotOwners) refreshSoon()
      },
    })
    nodes.set(address, node)
    return node
  }

  const seed = open(seedAddress)

  function refreshSoon() {
    if (refreshing || closed) return
    refreshing = true
    const waitMs = Math.max(0, refreshedAtMs + refreshEveryMs - performance.now())
    setTimeout(() => {
      void refresh().finally(() => {
        refreshedAtMs = performance.now()
        refreshing = false
      })
    }, waitMs).unref()
  }

  /**
   * Asks one node after another for the slot map until one answers; starts with a different one each time, as one may be
   * partitioned.
   */
  async function refresh() {
    const ready = [...nodes.values()].filter((node) => node.isReady())
    const first = refreshes++ % Math.max(ready.length, 1)
    for (const node of [...ready.slice(first), ...ready.slice(0, first)]) {
      try {
        const answer = await node.send([['CLUSTER', 'SLOTS']], performance.now() + commandTimeoutMs)
        if (closed) return
        updateTopology(parseSlots(answer, node.address))
        return
      } catch (error) {
        if (isReply(error) && error.message.includes('cluster support disabled')) return updateTopology(undefined)
      }
    }
  }

  function updateTopology(slots: readonly (string | undefined)[] | undefined) {
    slotOwners = slots
    const used = new Set<string | undefined>(slots)
    for (const address of used) if (address !== undefined) open(address)
    for (const [address, node] of nodes) {
      if (used.has(address) || node === seed) continue
      nodes.delete(address)
      void node.close()
    }
  }

  async function run(script: Script, tag: string, keys: readonly string[], args: readonly string[]) {
    const deadlineMs = performance.now() + commandTimeoutMs
    const address = slotOwners?.[hashSlot(tag)]
    let node = address === undefined ? seed : open(address)
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
          if (slotOwners && (!isReply(error) || error.message.startsWith('CLUSTERDOWN'))) refreshSoon()
          throw error
        }
        isAsking = redirection.isTemporary
        if (!isAsking) refreshSoon()
        node = open(redirection.address)
      }
    }
  }

  return {
    run,
    isReachable: async () => {
      const deadlineMs = performance.now() + commandTimeoutMs
      const pings = [...nodes.values()].map((node) => node.send([['PING']], deadlineMs))
      return Promise.any(pings).then(
        () => true,
        () => false,
      )
    },
    close: async () => {
      closed = true
      await Promise.all([...nodes.values()].map((node) => node.close()))
    },
  }
}
