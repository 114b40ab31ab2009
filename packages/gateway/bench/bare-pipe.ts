import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/**
 * A pipe from `node:http` to `undici` with no logic at all: the least that any gateway costs which waits for the whole request, and stops
 * the provider when its caller is gone.
 */

const pool = new Pool(process.argv[2]!, { connections: 256, pipelining: 1 })
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const { connection: _c, host: _h, 'transfer-encoding': _t, ...headers } = request.headers
    pool.dispatch(
      {
        method: 'POST',
        path: request.url ?? '/',
        headers: { ...headers, 'content-length': String(body.length) },
        body,
      },
      {
        onRequestStart(controller) {
          response.once('close', () => controller.abort(new Error('the caller is gone')))
        },
        onResponseStart(_controller, status, headers) {
          const { connection: _c, 'keep-alive': _k, 'transfer-encoding': _t, ...kept } = headers
          response.writeHead(status, kept as Record<string, string>)
        },
        onResponseData(controller, chunk) {
          if (response.write(chunk)) return
          controller.pause()
          response.once('drain', () => controller.resume())
        },
        onResponseEnd: () => void response.end(),
        onResponseError: () => void response.destroy(),
      },
    )
  })
})
server.listen(0, '127.0.0.1', 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
