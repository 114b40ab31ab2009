import type { SourceRecord } from './protocol.ts'

/** Thrown where the two sides do not hold the same rows. */
export class SidesDiffer extends Error {
  readonly tables: readonly TableDifference[]

  constructor(tables: readonly TableDifference[]) {
    super(
      `The two cells differ in ${tables.map(({ table }) => table).join(', ')}: nothing was moved, and the organization goes on where it was.`,
    )
    this.name = 'SidesDiffer'
    this.tables = tables
  }
}

/** Thrown where changes come faster than they are copied, so that the freeze would last long. */
export class ChangesOutrun extends Error {
  constructor() {
    super(
      'Changes come faster than they are copied: the organization was not closed, and goes on where it was. Try again when it is less busy.',
    )
    this.name = 'ChangesOutrun'
  }
}

/** Rows of a table, as both sides count them. */
export interface TableSum {
  readonly rows: string
  readonly digest: string
}
export type TableSums = Readonly<Record<string, TableSum>>

export interface TableDifference {
  readonly table: string
  readonly source: TableSum | undefined
  readonly target: TableSum | undefined
}

/** A part of an organization's rows on its way. */
export interface RowBatch {
  readonly table: string
  /** Rows to write, each as the text of the row. */
  readonly rows: readonly string[]
  /** Keys of rows to remove. */
  readonly gone: readonly string[]
  /** True where these are all rows of the table: what else is there goes. */
  readonly isWhole?: boolean
}

/** The source of a move, as its mover uses it. Every change is refused once another process has claimed the move. */
export interface MoveSource<B extends object = RowBatch> {
  readonly claim: () => Promise<SourceRecord>
  /** Returns the next part of what was there when the copy began; undefined at its end. */
  readonly nextPage: (term: bigint) => Promise<{ readonly batch: B; readonly keep: () => Promise<void> } | undefined>
  /** Returns some of what has changed since; `forget` is called when the target has it. */
  readonly nextChanges: (
    term: bigint,
  ) => Promise<
    { readonly batches: readonly B[]; readonly count: number; readonly forget: () => Promise<void> } | undefined
  >
  /** Returns what is copied under the freeze only. */
  readonly rest: (term: bigint) => Promise<readonly B[]>
  /** Counts the rows while the organization works; what changes afterwards is counted as it changes. */
  readonly count: (term: bigint) => Promise<void>
  readonly sums: () => Promise<TableSums>
  readonly freeze: (term: bigint) => Promise<SourceRecord>
  readonly thaw: (term: bigint) => Promise<SourceRecord>
  readonly flip: (term: bigint) => Promise<SourceRecord>
  readonly finish: (term: bigint) => Promise<SourceRecord>
}

/** The target of a move, reached over the link. A call that fails may have had its effect. */
export interface MoveTarget<B extends object = RowBatch> {
  readonly open: (record: SourceRecord) => Promise<void>
  readonly apply: (record: SourceRecord, batch: bigint, rows: B) => Promise<void>
  readonly count: (record: SourceRecord) => Promise<void>
  readonly sums: (record: SourceRecord) => Promise<TableSums>
  readonly seal: (record: SourceRecord) => Promise<void>
  readonly activate: (record: SourceRecord) => Promise<void>
}

export type MoveStep =
  | 'opened'
  | 'copied'
  | 'caught up'
  | 'counted'
  | 'frozen'
  | 'rested'
  | 'compared'
  | 'sealed'
  | 'flipped'
  | 'active'

export interface MoverOptions {
  readonly onStep?: (step: MoveStep) => Promise<void> | void
  /** Changes that may be left when the organization is frozen: they are what its callers wait for. */
  readonly mostLeft?: number
  /** True for the refusal of a batch that refers to a row which is not there yet. */
  readonly lacksParent?: (error: unknown) => boolean
  /** Rounds of catching up before the move is left for a quieter time. */
  readonly mostRounds?: number
}

/** Carries a move out from wherever it stands; may be called again after any failure. */
export async function carryOut<B extends object>(
  source: MoveSource<B>,
  target: MoveTarget<B>,
  { onStep = () => undefined, mostLeft = 500, mostRounds = 200, lacksParent = () => false }: MoverOptions = {},
): Promise<SourceRecord> {
  let record = await source.claim()
  const { term } = record
  let batch = 0n
  const send = async (rows: B) => target.apply(record, ++batch, rows)
  /** Sends what has changed, once; returns how much that was. */
  const catchUp = async () => {
    const changes = await source.nextChanges(term)
    if (!changes) return 0
    for (const rows of changes.batches) await send(rows)
    await changes.forget()
    return changes.count
  }

  /** Catches up until so little is left that callers need not wait for it long. */
  const catchUpClosely = async () => {
    for (let round = 0; (await catchUp()) > mostLeft; round++) if (round === mostRounds) throw new ChangesOutrun()
  }

  if (record.state === 'copying' || record.state === 'frozen') {
    try {
      // Whoever carried it out before may have been stopped in the middle of a freeze: callers do not wait for the copy.
      if (record.state === 'frozen') record = await source.thaw(term)
      await target.open(record)
      await onStep('opened')
      for (let page = await source.nextPage(term); page; page = await source.nextPage(term)) {
        try {
          await send(page.batch)
        } catch (error) {
          // Another row that it refers to came later than its own page: the batch was not written, and is read again behind it.
          if (!lacksParent(error)) throw error
          batch--
          while ((await catchUp()) > 0);
          continue
        }
        await page.keep()
      }
      await onStep('copied')
      await catchUpClosely()
      await onStep('caught up')
      await source.count(term)
      await target.count(record)
      await onStep('counted')
      await catchUpClosely()
      record = await source.freeze(term)
      await onStep('frozen')
      while ((await catchUp()) > 0);
      for (const rows of await source.rest(term)) await send(rows)
      await onStep('rested')
      requireEqual(await source.sums(), await target.sums(record))
      await onStep('compared')
      await target.seal(record)
      await onStep('sealed')
      record = await source.flip(term)
      await onStep('flipped')
    } catch (error) {
      // It goes on where it was. Refused where the flip has been committed after all, or another process has taken over.
      await source.thaw(term).catch(() => undefined)
      throw error
    }
  }
  if (record.state === 'moved') {
    await target.activate(record)
    await onStep('active')
    record = await source.finish(term)
  }
  return record
}

function requireEqual(source: TableSums, target: TableSums) {
  const tables = [...new Set([...Object.keys(source), ...Object.keys(target)])].sort()
  const different = tables.filter(
    (table) => source[table]?.rows !== target[table]?.rows || source[table]?.digest !== target[table]?.digest,
  )
  if (different.length > 0)
    throw new SidesDiffer(different.map((table) => ({ table, source: source[table], target: target[table] })))
}
