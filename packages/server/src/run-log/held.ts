import type { MakerId } from '../identity/identity.ts'
import { timeOfUuid } from '../values/id.ts'
import type { RunFacts } from './rows.ts'
import type { RunningRun } from './views.ts'

/**
 * What a hold keeps of the run that it stands for, beside the request that was decided: together they are everything that was
 * said of the run when it started.
 */
export interface KeptRun
  extends Pick<
    RunFacts,
    'operation' | 'action' | 'chain_id' | 'parent_run_id' | 'external_id' | 'tags' | 'metadata' | 'admission'
  > {
  readonly depth?: number | undefined
}

/** A hold of a started run, as far as the run is concerned. */
export interface RunHold {
  readonly id: string
  readonly expiresAtMs: number
  readonly amountNano: bigint
  readonly inputs: unknown
  readonly madeBy?: MakerId | undefined
}

interface KeptInputs {
  readonly request: Pick<
    RunFacts,
    'model' | 'provider' | 'workflow_id' | 'deployment_id' | 'department_id' | 'customer_id'
  >
  readonly run: KeptRun
}

/** Whether a hold stands for a started run; one from the edge does not. */
export const isRunHold = ({ inputs }: Pick<RunHold, 'inputs'>) => (inputs as Partial<KeptInputs>).run !== undefined

/** How many tokens a hold took for the worst case. */
export const heldTokensOf = ({ inputs }: Pick<RunHold, 'inputs'>): bigint =>
  BigInt((inputs as { tokens?: number }).tokens ?? 0)

export function runningRun({ id, expiresAtMs, amountNano, inputs, madeBy }: RunHold): RunningRun {
  const { request, run } = inputs as KeptInputs
  const { depth = null, ...kept } = run
  const { model, provider, workflow_id, deployment_id, department_id, customer_id } = request
  return {
    id,
    about: { model, provider, workflow_id, deployment_id, department_id, customer_id, ...kept },
    madeBy,
    depth,
    // By its id, as everything that is looked for by time.
    startedAtMs: timeOfUuid(id),
    reservedNano: amountNano,
    expiresAtMs,
  }
}
