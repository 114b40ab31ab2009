import { lastOf } from '../../values/present.ts'

/** A mistake in an expression, with its position. */
export interface ExpressionFault {
  readonly message: string
  /** The UTF-16 offset from the start of the text. */
  readonly offset: number
  /** Line and column count from 1. */
  readonly line: number
  readonly column: number
}

/** Thrown while an expression is compiled; `compileExpression` returns it as a fault. */
export class CompileError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

const maxCharacters = 300

/** Truncates a message: messages quote the author's text, which can be long. */
export const truncate = (message: string): string =>
  message.length > maxCharacters ? `${message.slice(0, maxCharacters - 1)}…` : message

export function faultAt(text: string, message: string, offset: number): ExpressionFault {
  const at = Math.max(0, Math.min(offset, text.length))
  const before = text.slice(0, at).split('\n')
  return { message: truncate(message), offset: at, line: before.length, column: lastOf(before).length + 1 }
}
