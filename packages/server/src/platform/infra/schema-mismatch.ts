/** Thrown when program and database do not belong together; the message says what to do. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}
