import type pg from 'pg'
import { present } from '../../values/present.ts'
import { type BoundStatement, encodeFlight } from './flight.ts'

/** The result of one statement of a pipeline. Its sender knows the rows. */
export interface StatementResult<Row = pg.QueryResult['rows'][number]> {
  /** The first word of what PostgreSQL says it has done, as `COMMIT`. */
  readonly command: string
  readonly rows: readonly Row[]
}

/** The names and parsers of the columns that a prepared statement returns; none for one that returns no rows. */
interface RowShape {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
}

/**
 * Shapes of the statements that a connection has prepared, by name. PostgreSQL refuses to run a prepared statement whose columns
 * have changed, so a shape is valid for the life of the connection.
 */
export type RowShapes = Map<string, RowShape>

/** A column as PostgreSQL describes it. */
interface Column {
  readonly name: string
  readonly dataTypeID: Parameters<pg.CustomTypesConfig['getTypeParser']>[0]
}

const noRows: RowShape = { names: [], parsers: [] }

/**
 * A flight of statements as one query of the driver, which calls the methods with the messages that arrive, in the order in which the
 * statements were sent.
 */
export class PipelineQuery implements pg.Submittable {
  readonly results: Promise<StatementResult[]>
  readonly statements: readonly BoundStatement[]
  private readonly shapes: RowShapes
  private readonly types: pg.CustomTypesConfig
  private readonly settle: PromiseWithResolvers<StatementResult[]>
  private readonly done: StatementResult[] = []
  private shape: RowShape | undefined
  private rows: pg.QueryResultRow[] = []

  constructor(statements: readonly BoundStatement[], shapes: RowShapes, types: pg.CustomTypesConfig) {
    this.statements = statements
    this.shapes = shapes
    this.types = types
    this.settle = Promise.withResolvers()
    this.results = this.settle.promise
    this.shape = shapes.get(present(statements[0]).statement.name)
  }

  /** Sends all statements in one write. */
  submit({ stream }: pg.Connection): void {
    const bytes = encodeFlight(this.statements, (name) => this.shapes.has(name))
    // A connection that was lost meanwhile fails by itself.
    if (stream.writable) stream.write(bytes)
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this.types.getTypeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers } = this.shape ?? noRows
    const row: pg.QueryResultRow = {}
    for (const [i, name] of names.entries()) {
      const text = fields[i]
      row[name] = text === null || text === undefined ? null : parsers[i]?.(text)
    }
    this.rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { name } = present(this.statements[this.done.length]).statement
    if (!this.shapes.has(name)) this.shapes.set(name, this.shape ?? noRows)
    this.done.push({ command: text.split(' ', 1)[0] ?? '', rows: this.rows })
    this.rows = []
    const next = this.statements[this.done.length]
    this.shape = next && this.shapes.get(next.statement.name)
  }

  handleReadyForQuery(): void {
    this.settle.resolve(this.done)
  }

  handleError(error: Error): void {
    // The stack of the message from the socket says nothing.
    Error.captureStackTrace(error)
    this.settle.reject(error)
  }
}
