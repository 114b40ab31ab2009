import type { MakerId } from '../../access/identity/identity.ts'
import { present } from '../../values/present.ts'
import type { RunStatus } from './schema.ts'
import type { UsageDetail } from './usage-schema.ts'

/** A run that has ended, as its row. Amounts are nano-dollars, times milliseconds. */
export interface RunRecord {
  readonly id: string
  /** The retention class that stores it; null for a run older than the organization keeps runs: it only counts. */
  readonly retentionClass: number | null
  readonly status: Exclude<RunStatus, 'running'>
  readonly about: RunFacts
  /** undefined for runs that are older than this field. */
  readonly madeBy?: MakerId | undefined
  readonly depth: number | null
  readonly holdId: string | null
  readonly usage: Tokens
  /** Usage beside plain tokens, where something was reported. */
  readonly usageDetail?: UsageDetail | undefined
  readonly costNano: bigint
  readonly costBasis: CostBasis
  readonly reservedNano: bigint | null
  readonly overrunNano: bigint
  readonly valueNano: bigint | null
  readonly startedAtMs: number
  readonly endedAtMs: number | null
}

/** The ending of a run that has ended. */
export interface EndedRun
  extends Pick<
    RunRecord,
    'status' | 'usage' | 'usageDetail' | 'costNano' | 'costBasis' | 'valueNano' | 'startedAtMs' | 'endedAtMs'
  > {
  readonly model: string
  readonly provider: string | undefined
}

export type CostBasis = 'reported' | 'computed' | 'estimated'

/** The caller's fields of a run, as on the wire; the parent's id as it is stored. */
export interface RunFacts {
  readonly model: string
  readonly provider?: string | undefined
  readonly operation?: string | undefined
  readonly action?: string | undefined
  readonly workflow_id?: string | undefined
  readonly deployment_id?: string | undefined
  readonly department_id?: string | undefined
  readonly customer_id?: string | undefined
  readonly user_id?: string | undefined
  readonly chain_id?: string | undefined
  readonly parent_run_id?: string | undefined
  readonly external_id?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly admission?: Admission | undefined
}

/** Inputs of the rules beside the run's own row: stored, so that the rules can be evaluated again. */
export interface Admission {
  readonly at_ms: number
  readonly key_id: string
  readonly input_tokens: number
  readonly max_output_tokens: number
  readonly estimated_nano: string
  readonly has_input?: boolean
  readonly chain_id: string
  readonly chain_depth: number
  readonly chain_cost_nano: string
  /** The policy set that was evaluated, and the grant under which the run was admitted although a rule required an approval. */
  readonly set_version: string
  readonly approval_id?: string
}

/** Token counts; one that was not reported is missing, which is not the same as 0. */
export interface Tokens {
  readonly input_tokens?: number | undefined
  readonly output_tokens?: number | undefined
  readonly cache_read_input_tokens?: number | undefined
  readonly cache_creation_input_tokens?: number | undefined
  readonly reasoning_output_tokens?: number | undefined
}

/** Returns the tokens that count: input and output, each once, and those of other models that worked for the run. */
export const tokensOf = ({ input_tokens = 0, output_tokens = 0 }: Tokens, detail?: UsageDetail): bigint =>
  (detail?.parts ?? []).reduce((sum, { usage }) => sum + tokensOf(usage), BigInt(input_tokens) + BigInt(output_tokens))

/** The retention classes of raw runs, in days, each with its own partitions; and the days that one partition spans. */
export const retentionClasses = [
  { days: 7, span: 1 },
  { days: 30, span: 1 },
  { days: 90, span: 7 },
  { days: 400, span: 28 },
  { days: 3_650, span: 28 },
] as const

export const defaultRawDays = 90

/** Returns the shortest class that keeps runs for this many days. */
export const classFor = (rawDays: number): number => present(retentionClasses.find(({ days }) => days >= rawDays)).days
