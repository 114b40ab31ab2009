import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { newUuid } from '../../src/values/id.ts'

/** One organization at its worst, in a process of its own that gives way to those it disturbs. Begins and pauses when it is told. */

const { NOISE_PORT, NOISE_KEY, NOISE_ORG } = process.env as Record<string, string>
setPriority(10)

let isOn = false
const counts: Record<string, number> = {}
const agent = new Agent({ keepAlive: true, maxSockets: 400 })

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Buffer
  readonly headers?: Record<string, string>
}

const send = (name: string, { method, path, body, headers }: Sent) =>
  new Promise<void>((resolve) => {
    const all = { authorization: `Bearer ${NOISE_KEY}`, 'content-type': 'application/json', ...headers }
    const length = body && { 'content-length': String(body.length) }
    request({ port: Number(NOISE_PORT), method, path, agent, headers: { ...all, ...length } }, (answer) => {
      const kind = `${name} ${answer.statusCode}`
      counts[kind] = (counts[kind] ?? 0) + 1
      answer.on('close', resolve).resume()
    })
      .on('error', () => resolve())
      .end(body)
  })

const nested = gzipSync('['.repeat(520_000) + ']'.repeat(520_000))
const decision = Buffer.from(
  JSON.stringify({ model: 'gpt-4o', input_tokens: 1_200, max_output_tokens: 500, workflow_id: 'triage' }),
)
const usage = `/v1/orgs/${NOISE_ORG}/usage?group_by=workflow_id,deployment_id&granularity=hour&from=${new Date(Date.now() - 89 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`
const batch = () =>
  Buffer.from(
    JSON.stringify({
      runs: Array.from({ length: 5_000 }, (_, i) => ({
        model: 'gpt-4o',
        workflow_id: `w-${i % 50}`,
        external_id: newUuid(),
        input_tokens: 1_200,
        output_tokens: 300,
        tags: ['noise'],
        metadata: Object.fromEntries(
          Array.from({ length: 10 }, (_, name) => [`name-${name}`, `value ${i} `.repeat(5)]),
        ),
      })),
    }),
  )

/** So many callers, each with the next request as soon as the last is answered, or a pause after it. */
function callers(name: string, count: number, next: () => Sent, pauseMs = 0) {
  for (let caller = 0; caller < count; caller++)
    void (async () => {
      for (;;) {
        if (isOn) await send(name, next())
        await sleep(isOn ? pauseMs : 20)
      }
    })()
}

const kinds = (process.env['NOISE_KINDS'] ?? 'usage,nested,bulk,edge').split(',')
if (kinds.includes('usage')) callers('usage', 30, () => ({ method: 'GET', path: usage }), 20)
if (kinds.includes('nested'))
  callers(
    'nested',
    20,
    () => ({ method: 'POST', path: '/v1/runs', body: nested, headers: { 'content-encoding': 'gzip' } }),
    100,
  )
if (kinds.includes('bulk')) callers('bulk', 2, () => ({ method: 'POST', path: '/v1/runs/bulk', body: batch() }), 20)
if (kinds.includes('edge')) callers('edge', 120, () => ({ method: 'POST', path: '/v1/edge/decision', body: decision }))
// A thousand a minute and a little more, all with one key: beyond its hundred sessions each ends another one, on every process.
if (kinds.includes('sign-ins'))
  callers(
    'sign-ins',
    18,
    () => ({
      method: 'POST',
      path: '/console/signin',
      body: Buffer.from(new URLSearchParams({ key: NOISE_KEY! }).toString()),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    1_000,
  )

process.on('message', (message: string) => {
  isOn = message === 'go'
  if (message === 'counts') process.send!(counts)
})
process.on('disconnect', () => process.exit(0))
process.send!('ready')
