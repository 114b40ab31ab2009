import { serialize } from '@marcbachmann/cel-js'
import { costOfExpression, maxCost } from './cost.ts'
import { type ExpressionEnvironment, functionRefusal, limits } from './environment.ts'
import { CompileError, type ExpressionFault, faultAt, truncate } from './fault.ts'
import { normalizeLiterals } from './normal-literals.ts'
import { scan } from './scan.ts'
import { type Screen, screenOf } from './screen.ts'
import { childrenOf, conjunctsOf, type Node, pathOf } from './syntax.ts'
import { validateSyntax } from './validation.ts'

export { createExpressionEnvironment } from './environment.ts'
export type { ExpressionFault } from './fault.ts'

/**
 * A field that must have one of these string values: with any other value the expression is false, whatever its other parts are.
 */
export interface Requirement {
  readonly variable: string
  readonly field: string
  readonly values: readonly string[]
}

export interface Expression {
  /** Throws `ExpressionFailed`. */
  readonly evaluate: (variables: object) => boolean
  /** The variables that the expression uses. */
  readonly names: ReadonlySet<string>
  readonly requirements: readonly Requirement[]
  /** The first false operand of `a && b && c`, as text. */
  readonly falsePart: (variables: object) => string | null
  readonly cost: number
  /** The number of AST nodes, which determines the memory that the expression takes. */
  readonly size: number
}

/** An expression that failed to evaluate. Its message is written for the author of the rule. */
export class ExpressionFailed extends Error {}

export type CompileResult =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly fault: ExpressionFault }

/**
 * Parses, type-checks and bounds an expression. An accepted expression evaluates within a few milliseconds, whatever its
 * variables hold.
 */
export function compileExpression(environment: ExpressionEnvironment, text: string): CompileResult {
  try {
    return { ok: true, expression: compileOrThrow(environment, text) }
  } catch (error) {
    const { message, offset } = locateError(error)
    return { ok: false, fault: faultAt(text, message, offset) }
  }
}

function compileOrThrow(environment: ExpressionEnvironment, text: string): Expression {
  scan(text, functionRefusal)
  const parsed = environment.cel.parse(text)
  const root: Node = parsed.ast
  const names = validateSyntax(root, environment)
  normalizeLiterals(root, environment)
  costOfExpression(root, environment)
  const { valid, type, error } = parsed.check()
  if (!valid) throw error
  if (type !== 'bool')
    throw new CompileError(
      `An expression must be true or false, but this is '${type}'${type === 'dyn' ? ': write … == true' : ''}.`,
      root.start,
    )
  const cost = costOfExpression(root, environment)
  if (cost > maxCost)
    throw new CompileError(
      `This expression could take ${cost} steps at worst; at most ${maxCost} are allowed.`,
      root.start,
    )
  const size = dropSourceText(root)
  const screen = screenOf(root)
  return {
    evaluate: (variables) => evaluateWithScreen(parsed, screen, variables),
    names,
    requirements: conjunctsOf(root).flatMap((node) => requirementOf(node) ?? []),
    falsePart: (variables) => {
      const part = conjunctsOf(root).find((node) => isFalse(() => environment.valueOf(node, variables)))
      return part && part !== root ? truncate(serialize(part)) : null
    },
    cost,
    size,
  }
}

function isFalse(value: () => unknown): boolean {
  try {
    return value() === false
  } catch {
    return false
  }
}

function evaluateWithScreen(parsed: (variables: object) => unknown, screen: Screen | null, variables: object): boolean {
  if (screen !== null && !screen(variables as Parameters<Screen>[0])) return false
  // A failure that `||` recovers from would cost more than everything else, most of it for a stack trace that nobody reads.
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    const value = parsed(variables)
    if (typeof value === 'boolean') return value
    throw new ExpressionFailed('The expression is neither true nor false.')
  } catch (error) {
    if (error instanceof ExpressionFailed) throw error
    throw new ExpressionFailed(truncate(summaryOf(error)))
  } finally {
    Error.stackTraceLimit = limit
  }
}

/**
 * Drops the source text from every node and returns the number of nodes. The library renders the failed line into each error
 * message, which takes longer the longer the text is.
 */
function dropSourceText(node: Node): number {
  Object.defineProperty(node, 'input', { value: '' })
  return childrenOf(node).reduce((sum, child) => sum + dropSourceText(child), 1)
}

function requirementOf(node: Node): Requirement | null {
  if (node.op === '==') {
    const [left, right] = node.args
    return requirementFor(left, [right]) ?? requirementFor(right, [left])
  }
  if (node.op === 'in') return node.args[1].op === 'list' ? requirementFor(node.args[0], node.args[1].args) : null
  if (node.op !== '||') return null
  const [a, b] = [requirementOf(node.args[0]), requirementOf(node.args[1])]
  const isOneField = a !== null && b !== null && a.variable === b.variable && a.field === b.field
  return isOneField ? { ...a, values: [...a.values, ...b.values] } : null
}

function requirementFor(operand: Node, literals: readonly Node[]): Requirement | null {
  const path = pathOf(operand)
  if (!path) return null
  const values = literals.flatMap(({ op, args }) => (op === 'value' && typeof args === 'string' ? [args] : []))
  return values.length === literals.length ? { variable: path.root, field: path.field, values } : null
}

const limitNames: Readonly<Record<string, string>> = {
  maxAstNodes: `An expression can have at most ${limits.maxAstNodes} parts.`,
  maxDepth: `An expression can be at most ${limits.maxDepth} levels deep.`,
  maxListElements: `A list can have at most ${limits.maxListElements} elements.`,
  maxMapEntries: `A map can have at most ${limits.maxMapEntries} entries.`,
  maxCallArguments: `A function call can have at most ${limits.maxCallArguments} arguments.`,
}

interface LibraryError {
  readonly summary: string
  readonly range?: { readonly start: number }
}

const isLibraryError = (error: unknown): error is LibraryError =>
  error instanceof Error && 'summary' in error && typeof error.summary === 'string'

function summaryOf(error: unknown): string {
  if (isLibraryError(error)) return error.summary
  return error instanceof Error ? error.message : 'The expression failed.'
}

function locateError(error: unknown): { message: string; offset: number } {
  if (error instanceof CompileError) return error
  if (!isLibraryError(error)) return { message: 'The expression cannot be read.', offset: 0 }
  const { summary, range } = error
  const limit = /^Exceeded (\w+)/.exec(summary)?.[1]
  const message = (limit && limitNames[limit]) || summary.replace('no such overload', 'There is no such operation')
  const isMixed = /: (double [!=]= int|int [!=]= double)$/.test(summary)
  return { message: isMixed ? `${message}. Write 1.0 instead of 1.` : message, offset: range?.start ?? 0 }
}
