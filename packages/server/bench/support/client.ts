import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Requests of one caller over one connection each at a time, as cheap for this process as Node allows. */
export function openClient(port: number, key: string, connections = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = (method: string, path: string, body?: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      request({ port, method, path, agent, headers }, (answer) => {
        const isSuccess = answer.statusCode === 200 || answer.statusCode === 201
        if (isSuccess && method === 'GET') {
          answer.on('end', () => resolve('')).resume()
          return
        }
        const finish = async () => {
          const said = await text(answer)
          if (isSuccess) resolve(said)
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${said}`))
        }
        finish().catch(reject)
      })
        .on('error', reject)
        .end(body)
    })
  return {
    /** The answer is read and thrown away. */
    get: async (path: string) => void (await send('GET', path)),
    /** Returns the text of the answer. */
    post: (path: string, body: object) => send('POST', path, JSON.stringify(body)),
    close: () => agent.destroy(),
  }
}
