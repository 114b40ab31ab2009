import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

/** A TCP proxy that can be cut: what lies behind it is then gone, as after a network failure. */
export interface TcpProxy {
  port: number
  /** Called with all that clients send, while it is set. */
  watch: ((chunk: Buffer) => void) | undefined
  /** Resets every connection and refuses new ones. */
  readonly cut: () => void
  readonly mend: () => void
  /** From now on the connections that are open carry requests, but no answer comes back. */
  readonly deafen: () => void
  /** From now on the connections that are open lose what is sent on them. */
  readonly mute: () => void
}

export function useTcpProxy(target: () => { host: string; port: number }): TcpProxy {
  const { proxy, listen, close } = createTcpProxy(target)
  beforeAll(() => listen())
  afterAll(close)
  return proxy
}

/** For whoever runs without the test framework, and closes it itself. */
export async function openTcpProxy(target: () => { host: string; port: number }, host?: string) {
  const { proxy, listen, close } = createTcpProxy(target)
  await listen(host)
  return { ...proxy, port: proxy.port, close }
}

function createTcpProxy(target: () => { host: string; port: number }) {
  const open = new Set<Socket>()
  const clients = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy()
      return
    }
    client.on('data', (chunk: Buffer) => proxy.watch?.(chunk))
    const { host, port } = target()
    const upstream = connect(port, host)
    for (const [from, to, side] of [
      [client, upstream, clients],
      [upstream, client, upstreams],
    ] as const) {
      side.add(from)
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        side.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  const proxy: TcpProxy = {
    port: 0,
    watch: undefined,
    cut: () => {
      isCut = true
      for (const socket of open) socket.resetAndDestroy()
    },
    mend: () => {
      isCut = false
    },
    deafen: () => {
      for (const upstream of upstreams) upstream.unpipe().resume()
    },
    mute: () => {
      for (const client of clients) client.unpipe().resume()
    },
  }
  return {
    proxy,
    listen: async (host = '127.0.0.1') => {
      server.listen(0, host)
      await once(server, 'listening')
      proxy.port = (server.address() as AddressInfo).port
    },
    close: () => {
      proxy.cut()
      server.close()
    },
  }
}
