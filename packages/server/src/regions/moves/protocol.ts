/**
 * Rules by which an organization changes its cell. The source alone decides: an organization lives in its old cell until the source has
 * committed `moved`, and in its new one from then on. Between that commit and the target's own, it lives in the new cell and is closed.
 */

/**
 * States of a move in the database of the source. The organization is open in `copying` and `cancelled`, and closed for good from `moved` on.
 */
export type SourceState = 'copying' | 'frozen' | 'moved' | 'done' | 'purged' | 'cancelled'
/** States of a move in the database of the target. The organization is open in `active` alone. */
export type TargetState = 'arriving' | 'ready' | 'active' | 'discarded'

/** Name of a move in every message of its source. */
export interface MoveName {
  readonly org: string
  readonly move: string
  /** Number of the move among those out of this source: a later one replaces what an earlier one has left behind. */
  readonly attempt: bigint
}

/** A move as its source keeps it. */
export interface SourceRecord extends MoveName {
  readonly state: SourceState
  /** Name of the target. */
  readonly cell: string
  /** Number of the organization's homes, once it has moved. */
  readonly epoch: bigint
  /** Number of the process that carries the move out: what an earlier one still sends is refused. */
  readonly term: bigint
}

/** A move as its target keeps it. */
export interface TargetRecord extends MoveName {
  readonly state: TargetState
  /** Name of the source. */
  readonly cell: string
  readonly epoch: bigint
  readonly term: bigint
  /** Number of the last batch of this term that was applied. */
  readonly applied: bigint
}

export type SourceStep = 'freeze' | 'thaw' | 'flip' | 'finish' | 'cancel' | 'purge'

const steps: Readonly<Record<SourceStep, { readonly from: readonly SourceState[]; readonly to: SourceState }>> = {
  freeze: { from: ['copying', 'frozen'], to: 'frozen' },
  thaw: { from: ['copying', 'frozen'], to: 'copying' },
  flip: { from: ['frozen'], to: 'moved' },
  finish: { from: ['moved', 'done'], to: 'done' },
  cancel: { from: ['copying', 'frozen', 'cancelled'], to: 'cancelled' },
  purge: { from: ['done', 'purged'], to: 'purged' },
}

/** Returns the record after a step of the process with this term; undefined where the step may not be taken. */
export function afterStep(record: SourceRecord, step: SourceStep, term: bigint): SourceRecord | undefined {
  const { from, to } = steps[step]
  return record.term === term && from.includes(record.state) ? { ...record, state: to } : undefined
}

/** Returns the record once another process carries the move out. */
export const afterClaim = (record: SourceRecord): SourceRecord => ({ ...record, term: record.term + 1n })

export const isOpenAtSource = (state: SourceState): boolean => state === 'copying' || state === 'cancelled'
export const isOpenAtTarget = (state: TargetState): boolean => state === 'active'

/** Message of a source to its target. It may come late, twice or never. */
export type MoveMessage = MoveName &
  (
    | { readonly type: 'open'; readonly term: bigint; readonly epoch: bigint }
    /** Writes one batch, in order. */
    | { readonly type: 'apply'; readonly term: bigint; readonly batch: bigint }
    /** Takes no more batches. */
    | { readonly type: 'seal'; readonly term: bigint }
    /** Sent once the source has committed `moved`. */
    | { readonly type: 'activate' }
    | { readonly type: 'discard' }
  )

/** Judgement of a message: a new record, and what is to be done in the same transaction. */
export type MoveVerdict =
  | { readonly type: 'done'; readonly record: TargetRecord; readonly effect: MoveEffect }
  | { readonly type: 'refused'; readonly because: string }

/** `replace` removes the rows of an earlier move before anything is written. */
export type MoveEffect = 'none' | 'replace' | 'write' | 'activate' | 'discard'

const refused = (because: string): MoveVerdict => ({ type: 'refused', because })
const done = (record: TargetRecord, effect: MoveEffect = 'none'): MoveVerdict => ({ type: 'done', record, effect })

/**
 * Judges a message of the cell `from`. `known` is what this cell has recorded of the organization's last arrival; `isElsewhere` is true where
 * no rows of the organization are here.
 */
export function judge(
  known: TargetRecord | undefined,
  isElsewhere: boolean,
  from: string,
  message: MoveMessage,
): MoveVerdict {
  const { org, move, attempt } = message
  const isSame = known?.move === move && known.cell === from
  if (message.type === 'discard') {
    // A tombstone: what was sent before and comes later finds it.
    if (!known && isElsewhere)
      return done({ org, move, attempt, cell: from, state: 'discarded', epoch: 1n, term: 0n, applied: 0n })
    if (!known || !isSame) return refused('another move is recorded')
    if (known.state === 'active') return refused('the organization lives here')
    return done({ ...known, state: 'discarded' }, known.state === 'discarded' ? 'none' : 'discard')
  }
  if (message.type === 'open') {
    const fresh: TargetRecord = {
      org,
      move,
      attempt,
      cell: from,
      state: 'arriving',
      epoch: message.epoch,
      term: message.term,
      applied: 0n,
    }
    if (!known) return isElsewhere ? done(fresh) : refused('the organization lives here')
    if (isSame) {
      if (known.state !== 'arriving' && known.state !== 'ready') return refused(`the move is ${known.state}`)
      if (message.term < known.term) return refused('another process carries the move out')
      return message.term === known.term
        ? done(known)
        : done({ ...known, state: 'arriving', term: message.term, applied: 0n })
    }
    if (known.state === 'active') return refused('the organization lives here')
    if (known.cell !== from)
      return known.state === 'discarded' && isElsewhere ? done(fresh) : refused('it arrives from another cell')
    if (attempt <= known.attempt) return refused('a later move is recorded')
    return done(fresh, known.state === 'discarded' && isElsewhere ? 'none' : 'replace')
  }
  if (!known || !isSame) return refused('the move is not known')
  if (message.type === 'activate') {
    if (known.state === 'active') return done(known)
    return known.state === 'ready'
      ? done({ ...known, state: 'active' }, 'activate')
      : refused(`the move is ${known.state}`)
  }
  if (message.term !== known.term) return refused('another process carries the move out')
  if (message.type === 'seal')
    return known.state === 'arriving' || known.state === 'ready'
      ? done({ ...known, state: 'ready' })
      : refused(`the move is ${known.state}`)
  if (message.batch <= known.applied) return done(known)
  if (known.state !== 'arriving') return refused(`the move is ${known.state}`)
  return message.batch === known.applied + 1n
    ? done({ ...known, applied: message.batch }, 'write')
    : refused('a batch is missing')
}
