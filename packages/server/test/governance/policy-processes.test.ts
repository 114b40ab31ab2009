import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { rounds, whileAsleep } from '../support/rounds.ts'
import { call } from '../support/tenants.ts'

const database = useDatabase()
let installation: Awaited<ReturnType<typeof startInstallation>>
beforeAll(async () => {
  installation = await startInstallation(database, 2)
})

const rule = (expression: string) => ({
  name: 'r',
  effect: 'block',
  target: 'model',
  priority: 1,
  expression,
  reason: 'Not here.',
})
const change = (url: string, method: string, path: string, body?: unknown) =>
  call(url, method, `/v1/orgs/${installation.orgId}/policies${path}`, {
    key: installation.owner,
    ...(body !== undefined && { body }),
  })
const start = async (url: string) =>
  (await call(url, 'POST', '/v1/runs', { key: installation.owner, body: { model: 'gpt-4o', estimated_cost_usd: '0' } }))
    .status

test(`a rule changed on one process binds the next start on another, ${rounds} times out of ${rounds}`, async () => {
  const [first, second] = installation.apis.map(({ url }) => url) as [string, string]
  const outcomes: number[][] = []
  for (let i = 0; i < rounds; i++) {
    const created = await change(first, 'POST', '', rule('run.model == "gpt-4o"'))
    const id = created.json['id'] as string
    const blocked = await start(second)
    expect((await change(first, 'PUT', `/${id}`, rule('run.model == "other"'))).status).toBe(200)
    const passed = await start(second)
    expect((await change(first, 'PUT', `/${id}`, rule('run.model.startsWith("gpt")'))).status).toBe(200)
    const again = await start(second)
    expect((await change(first, 'DELETE', `/${id}`)).status).toBe(204)
    outcomes.push([blocked, passed, again, await start(second)])
  }
  expect(new Set(outcomes.map(String))).toEqual(new Set(['403,201,403,201']))
})

test('a process that slept through a change asks the new rules when it wakes', async () => {
  const [first, sleeper] = installation.apis as [(typeof installation.apis)[0], (typeof installation.apis)[0]]
  expect(await start(sleeper.url)).toBe(201)
  await whileAsleep(sleeper, async () => expect((await change(first.url, 'POST', '', rule('true'))).status).toBe(201))
  expect(await start(sleeper.url)).toBe(403)
})
