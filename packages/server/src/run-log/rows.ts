import type { MakerId } from '../identity/identity.ts'
import type { RunStatus } from './schema.ts'

/** A run that has ended, as its row. Amounts are nano-dollars, times milliseconds. */
export interface RunRecord {
  readonly id: string
  /** Which of the classes of retention keeps it; none for a run that is older than what is kept: it only counts. */
  readonly retentionClass: number | null
  readonly status: Exclude<RunStatus, 'running'>
  readonly about: RunFacts
  /** Nothing for runs from before makers were kept. */
  readonly madeBy?: MakerId | undefined
  readonly depth: number | null
  readonly holdId: string | null
  readonly usage: Tokens
  readonly costNano: bigint
  readonly costBasis: CostBasis
  readonly reservedNano: bigint | null
  readonly overrunNano: bigint
  readonly valueNano: bigint | null
  readonly startedAtMs: number
  readonly endedAtMs: number | null
}

/** An ended run as far as its end is concerned. */
export interface EndedRun
  extends Pick<RunRecord, 'status' | 'usage' | 'costNano' | 'costBasis' | 'valueNano' | 'startedAtMs' | 'endedAtMs'> {
  readonly model: string
  readonly provider: string | undefined
}

export type CostBasis = 'reported' | 'computed' | 'estimated'

/** What a caller says of a run, in the words of the wire; the parent as it is stored. */
export interface RunFacts {
  readonly model: string
  readonly provider?: string | undefined
  readonly operation?: string | undefined
  readonly action?: string | undefined
  readonly workflow_id?: string | undefined
  readonly deployment_id?: string | undefined
  readonly department_id?: string | undefined
  readonly customer_id?: string | undefined
  readonly chain_id?: string | undefined
  readonly parent_run_id?: string | undefined
  readonly external_id?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly admission?: Admission | undefined
}

/** What rules were told of a run beside what its row says: kept, so that they can be asked again. */
export interface Admission {
  readonly at_ms: number
  readonly key_id: string
  readonly input_tokens: number
  readonly max_output_tokens: number
  readonly estimated_nano: string
  readonly chain_id: string
  readonly chain_depth: number
  readonly chain_cost_nano: string
  /** The rules that were asked, and the grant under which it was admitted although one of them required an approval. */
  readonly set_version: string
  readonly approval_id?: string
}

/** What was used; a number that nobody told is missing, which is not the same as 0. */
export interface Tokens {
  readonly input_tokens?: number | undefined
  readonly output_tokens?: number | undefined
  readonly cache_read_input_tokens?: number | undefined
  readonly cache_creation_input_tokens?: number | undefined
  readonly reasoning_output_tokens?: number | undefined
}

/** How many tokens count: what went in and came out, each once. */
export const tokensOf = ({ input_tokens = 0, output_tokens = 0 }: Tokens): bigint =>
  BigInt(input_tokens) + BigInt(output_tokens)

/** How long raw runs can be kept, in days, each with its own tables; and how many days one such table spans. */
export const retentionClasses = [
  { days: 7, span: 1 },
  { days: 30, span: 1 },
  { days: 90, span: 7 },
  { days: 400, span: 28 },
  { days: 3_650, span: 28 },
] as const

export const defaultRawDays = 90

/** The shortest class that keeps runs for so many days. */
export const classFor = (rawDays: number): number => retentionClasses.find(({ days }) => days >= rawDays)!.days
