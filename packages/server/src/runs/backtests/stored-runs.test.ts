import { expect, test } from 'vitest'
import { admissionOf, type RunAttempt } from '../../governance/policies/policies.ts'
import { formatId, newUuid, newUuidAt } from '../../values/id.ts'
import type { StoredRun } from './queries.ts'
import { attemptOfRun } from './stored-runs.ts'

const keyId = formatId('key', newUuid())
const attempt: RunAttempt = {
  atMs: 1_780_000_000_123,
  model: 'gpt-4o',
  provider: 'openai',
  operation: '',
  action: 'refund',
  workflowId: 'triage',
  deploymentId: '',
  departmentId: 'support',
  customerId: 'c-1',
  userId: 'ada',
  inputTokens: 12,
  maxOutputTokens: 500,
  estimatedNano: 7_000_000n,
  tags: ['beta'],
  metadata: { release: '2026-11', attempt: 2, isLast: true },
  key: { id: keyId, role: 'service', scopes: ['runs:write', 'runs:read'] },
  chain: { id: 'ticket-1', depth: 3, costNano: 5n },
}
const orNull = (text: string) => (text === '' ? null : text)
const row: StoredRun = {
  id: newUuidAt(1_780_000_000_999),
  model: attempt.model,
  provider: orNull(attempt.provider),
  operation: orNull(attempt.operation),
  action: orNull(attempt.action),
  workflow_id: orNull(attempt.workflowId),
  deployment_id: orNull(attempt.deploymentId),
  department_id: orNull(attempt.departmentId),
  customer_id: orNull(attempt.customerId),
  user_id: orNull(attempt.userId),
  chain_id: 'ticket-1',
  depth: 3,
  input_tokens: 20,
  output_tokens: 30,
  cost_nano: 9n,
  tags: attempt.tags,
  metadata: attempt.metadata,
  admission: JSON.parse(JSON.stringify(admissionOf(attempt, 4n))) as StoredRun['admission'],
}
const keys = new Map([[keyId, { role: 'service', scopes: ['runs:write', 'runs:read'] }]])

test('the attempt of a stored run is the one that rules were asked about', () => {
  expect(attemptOfRun(row, keys, true)).toEqual(attempt)
  expect(attemptOfRun(row, keys, false)).toEqual(attempt)
})

test('whoever asked without a key of the organization is a supporter', () => {
  expect(attemptOfRun(row, new Map(), true).key).toEqual({ id: keyId, role: 'operator', scopes: [] })
})

test('rules that were told of no chain are asked again without one; others are told what the row knows', () => {
  const untold = { ...row, admission: { ...row.admission!, chain_id: '', chain_depth: 1, chain_cost_nano: '0' } }
  expect(attemptOfRun(untold, keys, true).chain).toEqual({ id: '', depth: 1, costNano: 0n })
  expect(attemptOfRun(untold, keys, false).chain).toEqual({ id: 'ticket-1', depth: 3, costNano: 0n })
})

test('a run of which nobody asked rules is judged by what was recorded of it', () => {
  expect(attemptOfRun({ ...row, admission: null }, keys, false)).toMatchObject({
    atMs: 1_780_000_000_999,
    inputTokens: 20,
    maxOutputTokens: 30,
    estimatedNano: 9n,
    key: { id: '', role: '', scopes: [] },
    chain: { id: 'ticket-1', depth: 3, costNano: 0n },
  })
})
