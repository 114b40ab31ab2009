import type { MakerId } from '../../access/identity/identity.ts'
import type { HoldInputs } from '../../money/ledger/ledger.ts'
import { timeOfUuid } from '../../values/id.ts'
import type { RunFacts } from './rows.ts'
import type { RunningRun } from './views.ts'

/**
 * The fields that a hold stores of its run, beside the request that was decided: together they are everything the caller said of
 * the run when it started.
 */
export interface StoredRunFields
  extends Pick<
    RunFacts,
    'operation' | 'action' | 'chain_id' | 'parent_run_id' | 'external_id' | 'tags' | 'metadata' | 'admission'
  > {
  readonly depth?: number | undefined
}

/** A hold of a started run, with the columns that concern the run. */
export interface RunHold {
  readonly id: string
  readonly expiresAtMs: number
  readonly amountNano: bigint
  readonly inputs: HoldInputs
  readonly madeBy?: MakerId | undefined
}

/** True when a hold belongs to a started run; one from the edge does not. */
export const isRunHold = ({ inputs }: Pick<RunHold, 'inputs'>) => inputs.run !== undefined

/** Returns the tokens that a hold took for the worst case. */
export const heldTokensOf = ({ inputs }: Pick<RunHold, 'inputs'>): bigint => BigInt(inputs.tokens)

/** Returns the output that a hold allows at most. */
export const heldOutputOf = ({ inputs: { tokens, request } }: Pick<RunHold, 'inputs'>): number =>
  tokens - (request.input_tokens ?? 0)

export function runningRun({ id, expiresAtMs, amountNano, inputs, madeBy }: RunHold): RunningRun {
  const { request, run = {} } = inputs
  const { depth = null, ...kept } = run
  const { model, provider, workflow_id, deployment_id, department_id, customer_id, user_id } = request
  return {
    id,
    about: { model, provider, workflow_id, deployment_id, department_id, customer_id, user_id, ...kept },
    madeBy,
    depth,
    // From its id, like everything that is looked up by time.
    startedAtMs: timeOfUuid(id),
    reservedNano: amountNano,
    maxOutputTokens: heldOutputOf({ inputs }),
    expiresAtMs,
  }
}
