import { type CellLink, CellUnavailable } from '../link/link.ts'
import type { MoveTarget, RowBatch, TableSums } from './mover.ts'
import type { SourceRecord } from './protocol.ts'

/** Path of the messages of a move. */
export const movePath = (step: string) => `/internal/moves/${step}`

/** Steps that a source asks of a target. */
export const moveSteps = ['open', 'apply', 'count', 'sums', 'seal', 'activate', 'discard'] as const
export type MoveStepName = (typeof moveSteps)[number]

/** A message of a move, as it is sent. */
export interface SentMessage {
  readonly org: string
  readonly move: string
  readonly attempt: string
  readonly term?: string
  readonly epoch?: string
  readonly batch?: string
  /** Rows of `apply`. */
  readonly rows?: RowBatch
  /** Newest migration of the source, and its partitions: what `open` prepares for. */
  readonly schema?: string
  readonly partitions?: readonly SentPartition[]
  /** Place of the source's last event, after which the events of the target go on. */
  readonly events?: string
  /** Tables of `count`. */
  readonly tables?: readonly string[]
}

export interface SentPartition {
  readonly parent: string
  readonly suffix: string
  readonly from: string
  readonly to: string
}

/** Thrown where the target refuses a message, and says why. */
export class TargetRefused extends Error {
  readonly cell: string
  readonly isParentMissing: boolean

  constructor(cell: string, reason: string, isParentMissing: boolean) {
    super(`The cell ${cell} refuses: ${reason}.`)
    this.name = 'TargetRefused'
    this.cell = cell
    this.isParentMissing = isParentMissing
  }
}

/** Status of an answer by which a target refuses a message. */
export const refusedStatus = 422

const promptMs = 15_000
const slowMs = 300_000
const attempts = 3

export interface TargetOptions {
  /** Tables that are compared, in groups that are counted by one message each. */
  readonly groups: () => Promise<readonly (readonly string[])[]>
  readonly prepare: () => Promise<Pick<SentMessage, 'schema' | 'partitions'>>
  readonly lastEvent: () => Promise<string>
}

/** Sends one message, again where it was lost: a target knows what it has done already. */
export async function tellTarget(
  link: CellLink,
  cell: string,
  step: MoveStepName,
  message: SentMessage,
  timeoutMs = promptMs,
): Promise<unknown> {
  const body = JSON.stringify(message)
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await link.tell(cell, movePath(step), body, timeoutMs)
      const value = JSON.parse(answer.body) as { reason?: string; is_parent_missing?: boolean }
      if (answer.status === refusedStatus)
        throw new TargetRefused(cell, String(value.reason), value.is_parent_missing === true)
      if (answer.status !== 200) throw new CellUnavailable(cell, `answered ${answer.status}`)
      return value
    } catch (error) {
      if (error instanceof TargetRefused || attempt === attempts) throw error
    }
  }
}

/** Opens the target's side of a move. */
export function openTarget(link: CellLink, { groups, prepare, lastEvent }: TargetOptions): MoveTarget {
  const tell = (record: SourceRecord, step: MoveStepName, more: Partial<SentMessage> = {}, timeoutMs = promptMs) =>
    tellTarget(link, record.cell, step, { ...nameOf(record), term: String(record.term), ...more }, timeoutMs)

  return {
    open: async (record) => {
      await tell(record, 'open', { epoch: String(record.epoch), ...(await prepare()) }, slowMs)
    },
    apply: async (record, batch, rows) => {
      const events = rows.isWhole === true ? { events: await lastEvent() } : {}
      await tell(record, 'apply', { batch: String(batch), rows, ...events }, slowMs)
    },
    count: async (record) => {
      for (const tables of await groups()) await tell(record, 'count', { tables }, slowMs)
    },
    sums: async (record) => (await tell(record, 'sums')) as TableSums,
    seal: async (record) => {
      await tell(record, 'seal')
    },
    activate: async (record) => {
      await tell(record, 'activate')
    },
  }
}

export const nameOf = ({ org, move, attempt }: Pick<SourceRecord, 'org' | 'move' | 'attempt'>) => ({
  org,
  move,
  attempt: String(attempt),
})
