import { expect, test } from 'vitest'
import { services } from '../../scripts/private-services.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startApi, startRole } from '../support/processes.ts'
import { useStartupProxy } from '../support/startup-proxy.ts'

const database = useDatabase()
const target = () => services().postgres
const faithful = useStartupProxy(target, { dropped: [], hidesBackend: false })
const forgetful = useStartupProxy(target, {
  dropped: ['options', 'statement_timeout', 'idle_in_transaction_session_timeout'],
  hidesBackend: false,
})
const pooling = useStartupProxy(target, { dropped: [], hidesBackend: true })

const through = ({ port }: { port: number }) => ({
  ...environmentFor(database),
  SVC_DATABASE_URL: Object.assign(new URL(database.appUrl), { port: String(port) }).href,
})

test('a proxy that passes connections on as they are is served through', async () => {
  const role = await startApi(through(faithful))
  expect((await fetch(`${role.url}/readyz`)).status).toBe(200)
  role.process.kill()
  expect(await role.exit).toBe(0)
})

test.each(['api', 'worker'])('%s refuses to start behind a pooler that drops what sessions ask for', async (name) => {
  const role = startRole(name, through(forgetful))
  expect(await role.exit).toBe(1)
  const { message } = role.lines.at(-1)!
  expect(message).toContain('SVC_DATABASE_URL does not lead to PostgreSQL itself')
  expect(message).toMatch(/lock_timeout is 0 instead of (500|2000)/)
  expect(message).toContain('Connect without a pooler in between.')
})

test('a process refuses to start where another backend serves than the one that accepted it', async () => {
  const role = startRole('api', through(pooling))
  expect(await role.exit).toBe(1)
  expect(role.lines.at(-1)!.message).toMatch(/process \d+ serves what process 1 had accepted/)
})
