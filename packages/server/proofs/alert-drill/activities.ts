import { setTimeout as pause } from 'node:timers/promises'
import type { Installation } from './installation.ts'

/** What callers do in drills. */

type Caller = Pick<Installation, 'ask'> & { readonly owner: string }
type Fields = Readonly<Record<string, unknown>>

/** Starts a run, which stays open for a day if nobody says otherwise. */
export const decide = ({ ask, owner }: Caller, fields: Fields = {}) =>
  ask(
    'POST',
    '/v1/runs',
    { model: 'gpt-4o', input_tokens: 10, max_output_tokens: 10, lease_seconds: 86_400, ...fields },
    owner,
  )

export const finish = ({ ask, owner }: Caller, runId: unknown, fields: Fields) =>
  ask('POST', `/v1/runs/${String(runId)}/finish`, { status: 'succeeded', ...fields }, owner)

/** Does something often, some at once. */
export async function often(count: number, atOnce: number, work: () => Promise<unknown>) {
  let left = count
  const worker = async () => {
    while (left-- > 0) await work().catch(() => undefined)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Makes many decisions that nothing delays. */
export const decideWell = (installation: Installation) => often(1_000, 32, () => decide(installation))

/** Makes a call that a budget of nothing refuses. */
export const beRefused = (installation: Installation) => decide(installation, { department_id: 'without-money' })

export const openEmptyBudget = ({ ask, orgId, owner }: Installation) =>
  ask(
    'POST',
    `/v1/orgs/${orgId}/budgets`,
    { name: 'Nothing', scope_kind: 'department', scope_id: 'without-money', limit_usd: '0', period: 'month' },
    owner,
  )

/** Locks ledgers, as a process does that is slow to commit, while something goes on. */
export async function whileLocked(
  { database, orgUuid }: Installation,
  ms: number,
  work: () => Promise<unknown>,
  orgs: readonly string[] = [orgUuid],
) {
  await lockLedgers(database, orgs)
  await Promise.all([pause(ms).then(() => database.release()), work()])
}

export const lockLedgers = (database: Installation['database'], orgs: readonly string[]) =>
  database.hold('select from org_ledgers where org_id = any($1) for update', [orgs])

/** Causes an event of a kind that webhooks are told of. */
export const causeEvent = ({ ask, orgId, owner }: Installation) =>
  ask('POST', `/v1/orgs/${orgId}/keys`, { name: 'k', role: 'viewer', scopes: ['orgs:read'] }, owner)

/** Has events of keys told to an endpoint. */
export const subscribe = ({ ask, orgId, owner }: Installation, url: string) =>
  ask('POST', `/v1/orgs/${orgId}/webhooks`, { url, events: ['key.*'] }, owner)

/** Calls a model through the gateway; the practice provider answers by a script. */
export const callModel = ({ gatewayUrl, owner }: Installation, script: Fields) =>
  fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner}`,
      'content-type': 'application/json',
      'x-practice': JSON.stringify(script),
    },
    body: JSON.stringify({ model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }),
  }).then((response) => response.text())
