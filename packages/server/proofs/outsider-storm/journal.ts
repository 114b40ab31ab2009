import type { Reply } from '../storm/exchange.ts'

/**
 * The clients' own record of a storm: every call as it was sent, before it was sent, and every answer before anybody acts on it.
 * The oracle knows nothing else of what should be true.
 */

/** Labels that a caller puts on a call. */
export interface Labels {
  readonly workflow_id?: string
  readonly department_id?: string
  readonly deployment_id?: string
  readonly customer_id?: string
}

/** The end of a run as a client reports it. */
export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  /** A fallback: another model than the one that was asked about. */
  readonly model?: string
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cost_usd?: string
  readonly value_usd?: string
  readonly ended_at?: string
  /** Labels that differ from those of the reservation, which must win. */
  readonly labels?: Labels
}

export interface SentEnding {
  readonly ending: Ending
  readonly replies: Reply[]
}

/** One call of an agent, from the question whether it may run to its end. */
export interface Life {
  /** Its `external_id`. */
  readonly name: string
  readonly kind: 'edge' | 'run' | 'fact'
  readonly model: string
  readonly labels: Labels
  readonly tags: readonly string[]
  /** Set once somebody was told that it may run. */
  runId?: string
  reservationId?: string
  reservedUsd?: string
  /** Whether its beginning was sent at all. */
  isAsked: boolean
  isReleaseSent: boolean
  isReleased: boolean
  readonly endings: SentEnding[]
}

/** An acknowledged answer, to be asked for again with the same key. */
export interface Receipt {
  readonly path: string
  readonly method: string
  readonly key: string
  readonly body: string
  readonly reply: Reply
}

/** A change of a budget's limit; no two of a storm set the same amount. */
export interface LimitChange {
  readonly budgetId: string
  readonly limitUsd: string
  isAcknowledged: boolean
}

export interface Journal {
  readonly lives: Life[]
  readonly receipts: Receipt[]
  readonly changes: LimitChange[]
  /** Promises that were broken in front of a client's eyes. */
  readonly faults: string[]
  /** How often each kind of request was answered what. */
  readonly answers: Record<string, number>
}

export const emptyJournal = (): Journal => ({ lives: [], receipts: [], changes: [], faults: [], answers: {} })

const isAcknowledged = ({ status }: Reply) => status >= 200 && status < 300

/** Endings that somebody was told are recorded. */
export const acknowledged = ({ endings }: Life): Ending[] =>
  endings.filter(({ replies }) => replies.some(isAcknowledged)).map(({ ending }) => ending)
