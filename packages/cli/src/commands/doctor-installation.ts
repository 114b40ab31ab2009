import type { Client } from '../api/client.ts'
import { fieldOf, isRecord, textOf } from '../values.ts'

/** The result of a check. A problem needs somebody; a warning is for when there is time. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem' | 'unknown'
  readonly message: string
  readonly hint?: string
}

export type Check = readonly [name: string, look: () => Promise<Finding[]>]

/** The version of the API that this program was made for. */
const ownVersion = '0.1'

export const installationChecks = (client: Client): Check[] => [
  ['reachable', () => reachable(client)],
  ['ready', () => ready(client)],
  ['clock', () => clock(client)],
]

async function reachable(client: Client): Promise<Finding[]> {
  const answer = await client.probe('/healthz')
  const version = textOf(answer?.json, 'version')
  if (!answer)
    return [
      {
        check: 'reachable',
        level: 'problem',
        message: `no answer from ${client.url}`,
        hint: 'Is the address right, and is the server running?',
      },
    ]
  if (answer.status !== 200 || version === '')
    return [
      { check: 'reachable', level: 'problem', message: `${client.url} answers ${answer.status}, not as Weir does` },
    ]
  const isSame = version.startsWith(`${ownVersion}.`)
  return [
    { check: 'reachable', level: 'ok', message: client.url },
    isSame
      ? { check: 'version', level: 'ok', message: version }
      : { check: 'version', level: 'warning', message: `the server is ${version}, this program is for ${ownVersion}` },
  ]
}

async function ready(client: Client): Promise<Finding[]> {
  const answer = await client.probe('/readyz')
  if (answer?.status === 404)
    return [{ check: 'ready', level: 'unknown', message: 'the probe is not served on this address' }]
  const checks = fieldOf(answer?.json, 'checks')
  const bad = Object.entries(isRecord(checks) ? checks : {}).filter(([, state]) => state !== 'ok')
  const listed = bad.map(([name, state]) => `${name} ${String(state)}`).join(', ')
  if (answer?.status !== 200)
    return [
      {
        check: 'ready',
        level: 'problem',
        message: `not ready: ${listed || textOf(answer?.json, 'status') || 'no answer'}`,
      },
    ]
  if (bad.length > 0) return [{ check: 'ready', level: 'warning', message: `ready, but ${listed}` }]
  return [{ check: 'ready', level: 'ok', message: 'ready' }]
}

/** Webhook signatures and keys with an end depend on clocks; a header has whole seconds. */
async function clock(client: Client): Promise<Finding[]> {
  const before = Date.now()
  const answer = await client.probe('/healthz')
  const server = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(server)) return []
  const aheadMs = server - before
  const behindMs = Date.now() - (server + 1_000)
  const seconds = Math.round(Math.max(aheadMs, behindMs) / 1_000)
  if (seconds <= 5) return [{ check: 'clock', level: 'ok', message: 'agrees with this machine' }]
  const message = `the server and this machine are ${seconds} seconds apart`
  return [{ check: 'clock', level: seconds > 60 ? 'problem' : 'warning', message, hint: 'Use NTP on both.' }]
}
