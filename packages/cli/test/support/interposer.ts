import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Change {
  readonly method: string
  readonly path: string
  /** The number of changes that passed before this one. */
  readonly index: number
}

interface Hooks {
  /** Runs before a change is handed on. */
  readonly before?: (change: Change) => Promise<void> | void
  /** Runs when the server has answered a change, before the answer is handed back. */
  readonly after?: (change: Change) => Promise<void> | void
}

export interface Interposer {
  readonly url: string
  readonly changes: readonly Change[]
  hooks: Hooks
  readonly close: () => Promise<void>
}

/** A server between the command line and Weir, where something can happen at the very moment of a change. */
export async function interpose(target: string): Promise<Interposer> {
  const changes: Change[] = []
  const interposer = { url: '', changes, hooks: {} as Hooks, close: () => Promise.resolve() }
  const server = createServer((request, response) => {
    void handle(request).then(
      ({ status, headers, text }) => response.writeHead(status, headers).end(text),
      () => response.destroy(),
    )
  })
  const handle = async (request: IncomingMessage) => {
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', url: path = '/' } = request
    const change = method === 'GET' ? undefined : { method, path, index: changes.length }
    if (change) {
      changes.push(change)
      await interposer.hooks.before?.(change)
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = request.headers
    const headers = Object.entries(kept).map(([name, value]): [string, string] => [name, String(value)])
    const answer = await fetch(target + path, { method, headers, ...(body.length > 0 && { body }) })
    const text = await answer.text()
    if (change) await interposer.hooks.after?.(change)
    const handed = [...answer.headers].filter(
      ([name]) => !/^(content-length|transfer-encoding|connection|content-encoding)$/.test(name),
    )
    return { status: answer.status, headers: Object.fromEntries(handed), text }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  interposer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  interposer.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return interposer
}
