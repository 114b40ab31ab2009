import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startRole } from '../support/processes.ts'

const database = useDatabase()

/** PostgreSQL behind a proxy that takes connections and says nothing until it is told to speak. */
const silence = { isOver: false, waiting: new Set<Socket>() }
const proxy = createServer((client) => {
  client.on('error', () => undefined)
  if (!silence.isOver) {
    silence.waiting.add(client)
    return
  }
  const { hostname, port } = new URL(database.appUrl)
  const upstream = connect(Number(port), hostname)
  upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
  client.on('close', () => upstream.destroy())
  client.pipe(upstream).pipe(client)
})
beforeAll(async () => {
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})
afterAll(() => {
  for (const client of silence.waiting) client.destroy()
  proxy.close()
})

test.each([
  ['api', 'serving'],
  ['worker', 'working'],
])('%s waits for a database that is silent at first, and starts when it answers', async (role, ready) => {
  silence.isOver = false
  const url = new URL(database.appUrl)
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const starting = startRole(role, environmentFor({ ...database, appUrl: url.href }))
  await starting.line(({ message }) => message === 'the database does not answer yet; trying again')
  expect(starting.lines.some(({ message }) => message === ready)).toBe(false)
  silence.isOver = true
  await starting.line(({ message }) => message === ready)
  starting.process.kill('SIGTERM')
  expect(await starting.exit).toBe(0)
})
