import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An endpoint of webhooks that keeps the id of whatever it has taken; while it is down it refuses everything. */
export async function startReceiver() {
  const receiver = { url: '', taken: [] as string[], isDown: false, close: () => {} }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (!receiver.isDown) receiver.taken.push(String(request.headers['webhook-id']))
      response.writeHead(receiver.isDown ? 503 : 204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  receiver.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return receiver
}
