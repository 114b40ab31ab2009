import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'
import { recordRequests } from '../../test/support/recorded-statements.ts'

const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Hands out the requests that the server has answered into which this is loaded, with their statements, on a port of its own. */
function startProbe() {
  const { take } = recordRequests()
  const probe = createServer((_request, response) => {
    response.end(JSON.stringify(take(), plain))
  })
  probe.listen(Number(process.env['WEIR_PROBE_PORT']), '127.0.0.1')
  probe.unref()
}

// Threads of the server load it too.
if (isMainThread) startProbe()
