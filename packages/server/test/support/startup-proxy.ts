import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

/** Changes to the first packets of a PostgreSQL connection, as a pooler makes them. */
export interface StartupChanges {
  /** Start-up parameters that are swallowed. */
  readonly dropped: readonly string[]
  /** Whether the pooler gives the client a process number of its own. */
  readonly hidesBackend: boolean
}

/** A proxy in front of PostgreSQL that answers the start of a connection like a permissive pooler. */
export function useStartupProxy(target: () => { host: string; port: number }, changes: StartupChanges) {
  const proxy = { port: 0 }
  const server = createServer((client) => {
    const { host, port } = target()
    const upstream = connect(port, host)
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy())
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.once('data', (startup) => {
      upstream.write(withoutParameters(startup, changes.dropped))
      client.pipe(upstream)
    })
    upstream.on('data', (chunk) => client.write(changes.hidesBackend ? withOtherProcess(chunk) : chunk))
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    proxy.port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.close()
  })
  return proxy
}

/** A start-up message is a length, a version, and pairs of strings that end with a zero each. */
function withoutParameters(startup: Buffer, dropped: readonly string[]): Buffer {
  const texts = startup.toString('utf8', 8).split('\0').slice(0, -2)
  const pairs = texts.flatMap((name, i) => (i % 2 === 0 && !dropped.includes(name) ? [name, texts[i + 1]!] : []))
  const body = Buffer.from(`${pairs.map((text) => `${text}\0`).join('')}\0`)
  const head = Buffer.from(startup.subarray(0, 8))
  head.writeUInt32BE(8 + body.length, 0)
  return Buffer.concat([head, body])
}

/** BackendKeyData: K, a length of 12, the process, a secret. */
function withOtherProcess(chunk: Buffer): Buffer {
  const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  if (at < 0) return chunk
  const changed = Buffer.from(chunk)
  changed.writeUInt32BE(1, at + 5)
  return changed
}
