import { beforeAll, expect, test } from 'vitest'
import { protobufOf } from '../support/assistant-reports.ts'
import { readGuide, runCommands } from '../support/guide.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The guide to coding assistants, followed word by word; `pnpm assistants` runs the assistants themselves with its settings. */
const { text, blocks } = readGuide('coding-assistants')
const server = useServer()
let tenant: Tenant
beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
})

const run = async (program: string) =>
  JSON.parse(await runCommands(program, { WEIR: server.url, ORG: tenant.id, KEY: tenant.key })) as Record<
    string,
    unknown
  >

test('its key may report, at the address and with the header of its settings, and counts for its department', async () => {
  const [makeKey = '', mapSeats = ''] = blocks
  const secret = String((await run(makeKey))['secret'])
  const [, settings = ''] = /```json\n([\s\S]+?)```/.exec(text)!
  const own = settings.replace('https://weir.example.com', server.url).replace('weir_KEY', secret)
  const { env } = JSON.parse(own) as { env: Record<string, string> }
  const [name = '', value = ''] = env['OTEL_EXPORTER_OTLP_HEADERS']!.split('=')
  const answer = await fetch(`${env['OTEL_EXPORTER_OTLP_ENDPOINT']}/v1/logs`, {
    method: 'POST',
    headers: { [name]: value, 'content-type': 'application/x-protobuf' },
    body: new Uint8Array(protobufOf.codex),
  })
  expect(answer.status).toBe(200)
  expect(text).toContain('endpoint = "https://weir.example.com/v1/otlp/v1/logs"')
  const { json } = await call(server.url, 'GET', '/v1/runs', { key: tenant.key })
  for (const one of json['data'] as object[]) expect(one).toMatchObject({ department_id: 'sales' })
  expect(await run(mapSeats)).toMatchObject({
    seat_accounts: [expect.any(String)],
    seat_logins: false,
    seat_keys: null,
  })
})
