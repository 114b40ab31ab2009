/** What is wrong with an expression, and where. */
export interface ExpressionFault {
  readonly message: string
  /** In UTF-16 units from the beginning. */
  readonly offset: number
  /** Both count from 1. */
  readonly line: number
  readonly column: number
}

/** Thrown while an expression is examined; `compileExpression` answers with it. */
export class Refused extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

const mostCharacters = 300

/** Messages name what the writer wrote, which can be long. */
export const bounded = (message: string): string =>
  message.length > mostCharacters ? `${message.slice(0, mostCharacters - 1)}…` : message

export function faultAt(text: string, message: string, offset: number): ExpressionFault {
  const at = Math.max(0, Math.min(offset, text.length))
  const before = text.slice(0, at).split('\n')
  return { message: bounded(message), offset: at, line: before.length, column: before.at(-1)!.length + 1 }
}
