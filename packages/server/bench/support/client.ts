import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Requests of one caller over one connection each at a time, as cheap for this process as Node allows. */
export function openClient(port: number, key: string, connections = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = (method: string, path: string, body?: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      request({ port, method, path, agent, headers }, (answer) => {
        if (answer.statusCode === 200) {
          answer.on('end', resolve).resume()
          return
        }
        text(answer).then((said) => reject(new Error(`${method} ${path}: ${answer.statusCode} ${said}`)), reject)
      })
        .on('error', reject)
        .end(body)
    })
  return {
    get: (path: string) => send('GET', path),
    post: (path: string, body: object) => send('POST', path, JSON.stringify(body)),
    close: () => agent.destroy(),
  }
}
