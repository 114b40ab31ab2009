import { type Attempt, attemptOf } from '../policies/policies.ts'
import { timeOfUuid } from '../values/id.ts'
import type { StoredRun } from './queries.ts'

/** What rules can ask of a key beside its id. */
export type KeyFacts = Pick<Attempt['key'], 'role' | 'scopes'>
export type KnownKeys = ReadonlyMap<string, KeyFacts>

/** Whoever asked and has no key acted under a support grant, which has neither scopes nor another role. */
const supporter: KeyFacts = { role: 'operator', scopes: [] }
const nobody: Attempt['key'] = { id: '', role: '', scopes: [] }

/**
 * The attempt that a stored run was. Where rules were asked, exactly what they were told if `asTold`; other rules may ask about a
 * chain of which those had no need to be told.
 */
export function attemptOfRun(run: StoredRun, keys: KnownKeys, asTold: boolean): Attempt {
  const { admission } = run
  if (!admission)
    return attemptOf(
      { ...run, max_output_tokens: run.output_tokens },
      { atMs: timeOfUuid(run.id), model: run.model, estimatedNano: run.cost_nano, key: nobody, chain: chainOfRow(run) },
    )
  const isTold = asTold || admission.chain_id !== ''
  const { input_tokens, max_output_tokens } = admission
  return attemptOf(
    { ...run, input_tokens, max_output_tokens },
    {
      atMs: admission.at_ms,
      model: run.model,
      estimatedNano: BigInt(admission.estimated_nano),
      key: { id: admission.key_id, ...(keys.get(admission.key_id) ?? supporter) },
      chain: isTold
        ? { id: admission.chain_id, depth: admission.chain_depth, costNano: BigInt(admission.chain_cost_nano) }
        : chainOfRow(run),
    },
  )
}

/** What a row knows of its chain: not what had been spent there. */
const chainOfRow = ({ chain_id, depth }: StoredRun) => ({ id: chain_id ?? '', depth: depth ?? 1, costNano: 0n })
