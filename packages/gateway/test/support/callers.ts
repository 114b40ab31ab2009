import { expect } from 'vitest'
import { call, keyOf } from '../../../server/test/support/tenants.ts'
import type { GatewayUnderTest } from './gateway.ts'

/** Sends a request to the gateway with a key of Weir. */
export const ask = (
  { gateway, ownerKey }: GatewayUnderTest,
  path: string,
  body: object | string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Waits until the run of an answer has ended, and returns it. */
export async function endedRun(
  { weir, ownerKey }: GatewayUnderTest,
  answer: Response,
): Promise<Record<string, unknown>> {
  const id = answer.headers.get('x-weir-run-id')
  const read = async () => (await call(weir.url, 'GET', `/v1/runs/${id}`, { key: ownerKey })).json
  await expect.poll(async () => (await read())['status']).not.toBe('running')
  return read()
}

/** A key whose calls have one budget. */
export async function budgetedKey({ weir, orgId, ownerKey }: GatewayUnderTest, workflowId: string, limitUsd: string) {
  const { key } = await keyOf(weir, orgId, {
    role: 'service',
    scopes: ['runs:write'],
    pins: { workflow_id: workflowId },
  })
  const budget = {
    name: workflowId,
    scope_kind: 'workflow',
    scope_id: workflowId,
    period: 'month',
    limit_usd: limitUsd,
  }
  const { status, json } = await call(weir.url, 'POST', `/v1/orgs/${orgId}/budgets`, { key: ownerKey, body: budget })
  expect(status).toBe(201)
  return {
    key,
    read: async () =>
      (await call(weir.url, 'GET', `/v1/orgs/${orgId}/budgets/${String(json['id'])}`, { key: ownerKey })).json,
  }
}
