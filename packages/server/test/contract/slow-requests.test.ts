import { expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { misbehavingRoutes } from '../support/misbehaving-routes.ts'
import { exchange, request } from '../support/raw-http.ts'

const server = useServer({
  domain: misbehavingRoutes,
  environment: { SVC_REQUEST_TIMEOUT_SECONDS: '2', SVC_HANDLER_TIMEOUT_SECONDS: '1' },
})

const head = request('POST', '/v1/test/echo', { 'content-type': 'application/json', 'content-length': '50' })

test.each([
  ['in the middle of its head', head.slice(0, 40)],
  ['in the middle of its body', `${head}{"name":`],
])('a request that stops %s is refused in time, as the caller’s fault', async (_where, started) => {
  const answer = await exchange(server.port, [started])
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'bad_request', details: {} } })
})

test('a caller that hangs up in the middle of its body is nobody’s error', async () => {
  await exchange(server.port, [`${head}{"name":`], { half: true }).catch(() => undefined)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect(server.logs.filter(({ level }) => level === 'error')).toEqual([])
})
