import type { Json } from '../values.ts'

/** What LiteLLM has, as its tables have it. */
export interface LitellmState {
  readonly organizations: readonly Json[]
  readonly teams: readonly Json[]
  readonly users: readonly Json[]
  readonly customers: readonly Json[]
  readonly budgets: readonly Json[]
  readonly memberships: readonly Json[]
  readonly keys: readonly Json[]
}

/** A call, as LiteLLM logged it. */
export interface SpendLog {
  readonly request_id: string
  readonly api_key: string
  /** A float, as the shortest decimal that reads back as it. */
  readonly spend: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly started: string
  readonly ended: string
  readonly model: string
  readonly model_group: string
  readonly custom_llm_provider: string
  readonly user: string
  readonly end_user: string
  readonly team_id: string
  readonly organization_id: string
  readonly request_tags: unknown
  readonly status: string
}

export interface LitellmSource {
  readonly state: () => Promise<LitellmState>
  /** Returns the number of logs since a time. */
  readonly count: (since: Date) => Promise<number>
  /** Returns logs since a time, oldest first, in pages of about that size or smaller. */
  readonly logs: (since: Date, pageSize: number) => AsyncGenerator<SpendLog[]>
  readonly close: () => Promise<void>
}
