import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newUuid, requireId } from '../../src/values/id.ts'
import { makePostgres } from '../support/postgres.ts'
import { type BenchOrg, call, environmentOf, makeOrgs, type Server, startApi } from '../support/server.ts'
import { webhookSettings } from '../webhooks/webhooks.ts'

export const here = fileURLToPath(new URL('../../../..', import.meta.url))
const never = { limit_usd: '1000000', period: 'month' }

/** One revision of the program, on a PostgreSQL of its own. */
export interface Revision {
  readonly main: string
  readonly postgres: ReturnType<typeof makePostgres>
  /** An organization that was set up over the API, as a customer would. */
  readonly org: BenchOrg
  readonly api: Server
  readonly send: Send
  /** Makes more organizations like it, as rows. */
  readonly moreOrgs: (count: number) => Promise<BenchOrg[]>
  readonly close: () => Promise<void>
}

export async function openRevision(tree: string): Promise<Revision> {
  const postgres = makePostgres()
  await postgres.start()
  const main = join(tree, 'packages/server/src/main.ts')
  const command = (...words: string[]) =>
    execFileSync(process.execPath, [main, ...words], {
      env: { PATH: process.env['PATH'], ...environmentOf(postgres), SVC_MIGRATE_DATABASE_URL: postgres.url() },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  command('migrate')
  const operatorKey = /weir_\w+/.exec(command('create-operator-key', 'bench'))?.[0] ?? ''
  const api = await startApi(postgres, { main, settings: webhookSettings })
  const send = senderTo(api, operatorKey)
  const org = await makeLimitedOrg(send)
  const close = async () => {
    await api.stop()
    await postgres.remove()
  }
  return { main, postgres, org, api, send, moreOrgs: (count) => makeOrgs(postgres, count), close }
}

export type Send = (method: string, path: string, body: object, key?: string) => Promise<Record<string, unknown>>

const senderTo =
  (api: Server, operatorKey: string): Send =>
  async (method, path, body, key = operatorKey) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'idempotency-key': newUuid() },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

/** An organization, with a way to send requests as its owner. */
export async function makeOrg(send: Send) {
  const made = await send('POST', '/v1/admin/orgs', { name: 'Bench' })
  const { id, owner_key: owner } = made as { id: string; owner_key: { secret: string } }
  const set = (method: string, path: string, body: object) => send(method, `/v1/orgs/${id}${path}`, body, owner.secret)
  return { id: requireId('org', id), set }
}

/** An organization with a spend cap, three budgets and a customer's limit, none of which is ever reached. */
async function makeLimitedOrg(send: Send): Promise<BenchOrg> {
  const { id, set } = await makeOrg(send)
  await set('PUT', '/spend-cap', { cap_usd: never.limit_usd })
  for (const [scope_kind, scope_id] of [
    ['org', undefined],
    ['department', call.department_id],
    ['workflow', call.workflow_id],
  ])
    await set('POST', '/budgets', { name: scope_kind, scope_kind, ...(scope_id && { scope_id }), ...never })
  await set('PUT', `/customers/${call.customer_id}/limit`, never)
  const key = await set('POST', '/keys', { name: 'bench', role: 'service', scopes: ['edge:decide', 'runs:write'] })
  return { id, key: String(key['secret']) }
}
