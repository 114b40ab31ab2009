import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A customer's endpoint: reads what it is sent, says that it has it, and counts. */
let count = 0
let wanted = 0

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    response.writeHead(204).end()
    count++
    if (count === wanted) process.send!('all')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))

process.on('message', (next: number) => {
  count = 0
  wanted = next
  process.send!('ready')
})
process.on('disconnect', () => process.exit(0))
