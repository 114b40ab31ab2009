import { expect } from 'vitest'
import type { MoneyOrg } from './money.ts'
import type { Answer } from './tenants.ts'

type Body = Record<string, unknown>

let made = 0

/** A rule with whatever a test does not care about. */
export const ruleOf = (more: Body = {}): Body => ({
  name: `rule ${++made}`,
  effect: 'block',
  target: 'model',
  priority: 100,
  expression: 'true',
  reason: 'Not here.',
  ...more,
})

/** Sets a rule; gives its id. */
export async function addRule(org: MoneyOrg, more: Body = {}): Promise<string> {
  const { status, json } = await org.ask('POST', '/policies', ruleOf(more))
  expect(json.error).toBeUndefined()
  expect(status).toBe(201)
  return json['id'] as string
}

/** Starts a run of which only some fields matter. */
export const startRun = (org: MoneyOrg, more: Body = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '0.01', ...more }, headers)

export const actionsOf = async (org: MoneyOrg, prefix: string) =>
  (
    await org.rows<{ action: string }>(
      `select action from audit_log where org_id = $1 and action like $2 order by seq`,
      `${prefix}%`,
    )
  ).map(({ action }) => action)

export const eventsLike = async (org: MoneyOrg, prefix: string) =>
  (
    await org.rows<{ kind: string }>(
      'select kind from outbox where org_id = $1 and kind like $2 order by id',
      `${prefix}%`,
    )
  ).map(({ kind }) => kind)
