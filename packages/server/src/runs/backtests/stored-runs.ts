import { attemptOf, type RunAttempt } from '../../governance/policies/policies.ts'
import { timeOfUuid } from '../../values/id.ts'
import type { StoredRun } from './queries.ts'

/** The properties of a key that rules can read, beside its ID. */
export type KeyFacts = Pick<RunAttempt['key'], 'role' | 'scopes'>
export type KnownKeys = ReadonlyMap<string, KeyFacts>

/** The properties of a caller without a key: a support grant, which has no scopes and always the same role. */
const supportGrantKey: KeyFacts = { role: 'operator', scopes: [] }
const unknownKey: RunAttempt['key'] = { id: '', role: '', scopes: [] }

/**
 * Rebuilds the attempt of a stored run. On request, exactly as the rules saw it when the run was admitted; otherwise the chain
 * comes from the run's row when those rules did not read it.
 */
export function attemptOfRun(run: StoredRun, keys: KnownKeys, asRecorded: boolean): RunAttempt {
  const { admission } = run
  if (!admission)
    return attemptOf(
      { ...run, max_output_tokens: run.output_tokens },
      {
        atMs: timeOfUuid(run.id),
        model: run.model,
        estimatedNano: run.cost_nano,
        key: unknownKey,
        chain: chainOfRow(run),
      },
    )
  const isRecorded = asRecorded || admission.chain_id !== ''
  const { input_tokens, max_output_tokens } = admission
  return attemptOf(
    { ...run, input_tokens, max_output_tokens, has_input: admission.has_input },
    {
      atMs: admission.at_ms,
      model: run.model,
      estimatedNano: BigInt(admission.estimated_nano),
      key: { id: admission.key_id, ...(keys.get(admission.key_id) ?? supportGrantKey) },
      chain: isRecorded
        ? { id: admission.chain_id, depth: admission.chain_depth, costNano: BigInt(admission.chain_cost_nano) }
        : chainOfRow(run),
    },
  )
}

/** Returns the chain fields of a row, which do not include the chain's cost. */
const chainOfRow = ({ chain_id, depth }: StoredRun) => ({ id: chain_id ?? '', depth: depth ?? 1, costNano: 0n })
