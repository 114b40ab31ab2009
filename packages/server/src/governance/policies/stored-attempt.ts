import type { Admission } from '../../records/run-log/run-log.ts'
import { formatUsd } from '../../values/money.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type AttemptFields, attemptOf, type RunAttempt } from './attempt.ts'

/** An attempt as it is stored: with the field names of `/v1` and amounts as text. Fields that were not given are left out. */
export interface StoredAttempt extends Omit<AttemptFields, 'input'> {
  readonly at_ms: number
  readonly model: string
  readonly estimated_nano: string
  readonly key_id: string
  readonly key_role: string
  readonly key_scopes: readonly string[]
  readonly chain_id?: string
  readonly chain_depth?: number
  readonly chain_cost_nano?: string
}

const texts = {
  provider: 'provider',
  operation: 'operation',
  action: 'action',
  workflow_id: 'workflowId',
  deployment_id: 'deploymentId',
  department_id: 'departmentId',
  customer_id: 'customerId',
  user_id: 'userId',
} as const

export function toStoredAttempt(attempt: RunAttempt): StoredAttempt {
  const { key, chain } = attempt
  const said = Object.entries(texts).filter(([, name]) => attempt[name] !== '')
  return {
    at_ms: attempt.atMs,
    model: attempt.model,
    ...Object.fromEntries(said.map(([stored, name]) => [stored, attempt[name]])),
    ...(attempt.inputTokens > 0 && { input_tokens: attempt.inputTokens }),
    ...(attempt.maxOutputTokens > 0 && { max_output_tokens: attempt.maxOutputTokens }),
    estimated_nano: attempt.estimatedNano.toString(),
    ...(attempt.hasInput && { has_input: true }),
    ...(attempt.tags.length > 0 && { tags: attempt.tags }),
    ...(Object.keys(attempt.metadata).length > 0 && { metadata: attempt.metadata }),
    key_id: key.id,
    key_role: key.role,
    key_scopes: key.scopes,
    ...(chain.id !== '' && { chain_id: chain.id }),
    ...(chain.depth > 1 && { chain_depth: chain.depth }),
    ...(chain.costNano > 0n && { chain_cost_nano: chain.costNano.toString() }),
  }
}

/** Returns an attempt as `/v1` shows it. */
export function attemptView(stored: StoredAttempt): Record<string, unknown> {
  const { at_ms, estimated_nano, chain_cost_nano, key_scopes: _scopes, ...said } = stored
  return {
    at: timestamp(new Date(at_ms)),
    ...said,
    estimated_cost_usd: formatUsd(BigInt(estimated_nano)),
    ...(chain_cost_nano !== undefined && { chain_cost_usd: formatUsd(BigInt(chain_cost_nano)) }),
  }
}

/** Restores an attempt exactly as rules saw it. */
export const fromStoredAttempt = (stored: StoredAttempt): RunAttempt =>
  attemptOf(stored, {
    atMs: stored.at_ms,
    model: stored.model,
    estimatedNano: BigInt(stored.estimated_nano),
    key: { id: stored.key_id, role: stored.key_role, scopes: stored.key_scopes },
    chain: {
      id: stored.chain_id ?? '',
      depth: stored.chain_depth ?? 1,
      costNano: BigInt(stored.chain_cost_nano ?? 0),
    },
  })

/** Returns the part of an attempt that is stored with its run: everything that the run's row does not hold. */
export const admissionOf = (attempt: RunAttempt, setVersion: bigint): Admission => ({
  at_ms: attempt.atMs,
  key_id: attempt.key.id,
  input_tokens: attempt.inputTokens,
  max_output_tokens: attempt.maxOutputTokens,
  estimated_nano: attempt.estimatedNano.toString(),
  ...(attempt.hasInput && { has_input: true }),
  chain_id: attempt.chain.id,
  chain_depth: attempt.chain.depth,
  chain_cost_nano: attempt.chain.costNano.toString(),
  set_version: setVersion.toString(),
})
