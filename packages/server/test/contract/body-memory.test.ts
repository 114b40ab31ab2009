import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_BODY_MEMORY_BYTES: '1048576' } })
let tenants: Tenant[]

beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  tenants = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const tenant = await tenantOf(server, operator, name)
      return { ...tenant, key: (await keyOf(server, tenant.id)).key }
    }),
  )
})

const bulk = (key: string, padding: number) =>
  fetch(`${server.url}/v1/runs/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runs: [{ model: 'gpt-4o', cost_usd: '0' }] }) + ' '.repeat(padding),
  })

/** A request whose body is announced and does not come. */
async function announce(key: string, bytes: number) {
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = [
    'POST /v1/runs/bulk HTTP/1.1',
    'host: test',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${bytes}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n{`)
  return socket
}

test('bodies that are announced count before they are read, and one organization never has all of the memory', async () => {
  const [one, other] = tenants as [Tenant, Tenant]
  // Known by now, so that what is announced is counted as soon as its head is read.
  expect((await bulk(one.key, 0)).status).toBe(200)
  const slow = await announce(one.key, 400_000)
  await eventually(async () =>
    /^svc_http_requests_in_flight 2$/m.test(await (await fetch(`${server.url}/metrics`)).text()),
  )
  const refused = await bulk(one.key, 400_000)
  expect(await refused.json()).toMatchObject({ error: { code: 'service_unavailable', details: {} } })
  // Small bodies and other organizations are not refused for it.
  expect((await bulk(one.key, 0)).status).toBe(200)
  expect((await bulk(other.key, 400_000)).status).toBe(200)
  slow.destroy()
  await eventually(async () => (await bulk(one.key, 400_000)).status === 200)
})
