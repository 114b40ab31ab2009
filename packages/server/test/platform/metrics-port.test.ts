import { expect, test } from 'vitest'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { type RunningRole, startApi, startRole } from '../support/processes.ts'

const database = useDatabase()

const statusOf = async (base: string, path: string) => (await fetch(base + path)).status
const metricsUrl = async (role: RunningRole) => {
  const { port } = await role.line(({ message }) => message === 'serving metrics')
  return `http://127.0.0.1:${String(port)}`
}
const stop = async (role: RunningRole) => {
  role.process.kill()
  expect(await role.exit).toBe(0)
}

test('metrics with a port of their own are not on the public one; probes are on both', async () => {
  const api = await startApi(environmentFor(database, { SVC_METRICS_PORT: '0' }))
  const metrics = await metricsUrl(api)
  expect(metrics).not.toBe(api.url)
  const hidden = await fetch(`${api.url}/metrics`)
  expect(hidden.status).toBe(404)
  expect(await hidden.json()).toMatchObject({ error: { code: 'not_found' } })
  expect(await statusOf(api.url, '/healthz')).toBe(200)
  expect(await statusOf(api.url, '/readyz')).toBe(200)

  expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('svc_deprecated_route_calls_total')
  expect(await statusOf(metrics, '/healthz')).toBe(200)
  expect(await statusOf(metrics, '/readyz')).toBe(200)
  // Nothing else is there, with or without a key.
  for (const path of ['/v1/meta/errors', '/docs', '/v1/me']) expect(await statusOf(metrics, path)).toBe(404)
  await stop(api)
})

test('so it is with a worker', async () => {
  const worker = startRole('worker', environmentFor(database, { SVC_METRICS_PORT: '0' }))
  const metrics = await metricsUrl(worker)
  expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('svc_job_duration_seconds')
  expect(await statusOf(metrics, '/readyz')).toBe(200)
  await stop(worker)
})

test('without one they are where everything else is', async () => {
  const api = await startApi(environmentFor(database))
  expect(await statusOf(api.url, '/metrics')).toBe(200)
  expect(api.lines.some(({ message }) => message === 'serving metrics')).toBe(false)
  await stop(api)
})

test('one port for both is a fault of the configuration', async () => {
  const role = startRole('api', environmentFor(database, { SVC_PORT: '8080', SVC_METRICS_PORT: '8080' }))
  expect(await role.exit).toBe(78)
  expect(role.errors.join('\n')).toContain('SVC_METRICS_PORT (8080) must differ from SVC_PORT')
})
