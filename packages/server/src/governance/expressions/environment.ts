import { Environment } from '@marcbachmann/cel-js'
import { elementAt } from '../../values/present.ts'
import { CompileError } from './fault.ts'
import { compileExpressionPattern, type Pattern } from './patterns.ts'
import { comprehensions, type Node } from './syntax.ts'

/**
 * A field of a variable, with its maximum size: the cost of an expression is derived from it. Names are in normal form, and so is
 * what expressions compare them with.
 */
export type Field =
  | { readonly kind: 'int' | 'double' | 'bool' }
  | { readonly kind: 'string'; readonly maxLength: number; readonly isName?: boolean }
  | { readonly kind: 'strings'; readonly maxItems: number; readonly maxLength: number; readonly isName?: boolean }
  | { readonly kind: 'values'; readonly maxEntries: number; readonly maxKeyLength: number; readonly maxLength: number }

/** A variable: an object of a class that has at least these fields. */
export interface Variable {
  readonly type: new (...args: never) => object
  readonly fields: Readonly<Record<string, Field>>
}

/** The variables and functions that expressions can use. */
export interface ExpressionEnvironment {
  readonly cel: Environment
  /** Evaluates one part of a checked expression. */
  readonly valueOf: (part: Node, variables: object) => unknown
  readonly variables: ReadonlyMap<string, ReadonlyMap<string, Field>>
}

export const limits = {
  maxAstNodes: 1_000,
  maxDepth: 50,
  maxListElements: 500,
  maxMapEntries: 200,
  maxCallArguments: 4,
}

const functions: ReadonlySet<string> = new Set([
  ...comprehensions,
  'has',
  'size',
  'contains',
  'startsWith',
  'endsWith',
  'lowerAscii',
  'upperAscii',
  'trim',
  're2',
  'int',
  'double',
  'string',
])

/** Returns the reason that a function cannot be called, or null when it can. */
export function functionRefusal(name: string): string | null {
  if (functions.has(name)) return null
  if (name === 'matches')
    return 'matches() is not supported, because it can take exponential time. Write re2(text, "pattern") or text.re2("pattern").'
  return `There is no function ${name}().`
}

const celTypes = {
  int: 'int',
  double: 'double',
  bool: 'bool',
  string: 'string',
  strings: 'list<string>',
  values: 'map<string, dyn>',
}

export function createExpressionEnvironment(variables: Readonly<Record<string, Variable>>): ExpressionEnvironment {
  const cel = new Environment({ limits })
  registerMixedArithmetic(cel)
  cel.registerFunction('re2(ast, ast): bool', ({ args }: MacroCall) =>
    matchMacro(elementAt(args, 0), elementAt(args, 1)),
  )
  cel.registerFunction('string.re2(ast): bool', ({ receiver, args }: MacroCall) =>
    matchMacro(receiver, elementAt(args, 0)),
  )
  for (const [name, { type, fields }] of Object.entries(variables)) {
    const types = Object.entries(fields).map(([field, { kind }]) => [field, celTypes[kind]])
    cel.registerType(name, { ctor: type, fields: Object.fromEntries(types) as Record<string, string> })
    cel.registerVariable(name, name)
  }
  const named = Object.entries(variables).map(([name, { fields }]) => [name, new Map(Object.entries(fields))] as const)
  return { cel, valueOf: createPartEvaluator(cel), variables: new Map(named) }
}

/**
 * Makes an int and a double give a double: numbers sent by callers are doubles, and a rule must not fail because one says 1
 * instead of 1.0.
 */
function registerMixedArithmetic(cel: Environment) {
  type Numeric = bigint | number
  const operations = {
    '+': (a: Numeric, b: Numeric) => Number(a) + Number(b),
    '-': (a: Numeric, b: Numeric) => Number(a) - Number(b),
    '*': (a: Numeric, b: Numeric) => Number(a) * Number(b),
    '/': (a: Numeric, b: Numeric) => Number(a) / Number(b),
    '%': (a: Numeric, b: Numeric) => Number(a) % Number(b),
  }
  for (const [sign, operation] of Object.entries(operations)) {
    cel.registerOperator(`int ${sign} double: double`, operation)
    cel.registerOperator(`double ${sign} int: double`, operation)
  }
  cel.registerOperator('double % double: double', operations['%'])
}

/**
 * Registers an internal function that evaluates any part of a parsed expression: the library itself evaluates only whole ones.
 * The scanner does not know the function, so no rule can call it.
 */
function createPartEvaluator(cel: Environment): ExpressionEnvironment['valueOf'] {
  let current: Node | null = null
  cel.registerFunction('part(ast): bool', () => ({
    async: false,
    typeCheck: <Context>(checker: Checker<Context>) => checker.getType('bool'),
    evaluate: <Context>(evaluator: Evaluator<Context>, _: unknown, context: Context) =>
      evaluator.run(current!, context),
  }))
  const whole = cel.parse('part(true)')
  return (part, variables) => {
    current = part
    return whole(variables) as unknown
  }
}

interface MacroCall {
  readonly args: readonly Node[]
  readonly receiver: Node
}

interface Checker<Context> {
  check(node: Node, context: Context): { readonly kind: string; readonly name: string }
  getType(name: string): unknown
}

interface Evaluator<Context> {
  run(node: Node, context: Context): unknown
}

/**
 * The macro `re2`. Its pattern must be a literal, so it is compiled once and its mistakes are reported when the rule is saved.
 */
const matchMacro = (text: Node, literal: Node) => ({
  async: false,
  pattern: null as Pattern | null,
  typeCheck<Context>(checker: Checker<Context>, macro: { pattern: Pattern | null }, context: Context) {
    const type = checker.check(text, context)
    if (type.kind !== 'dyn' && type.name !== 'string')
      throw new CompileError(`re2() needs a string to search, not '${type.name}'.`, text.start)
    checker.check(literal, context)
    macro.pattern = patternOf(literal)
    return checker.getType('bool')
  },
  evaluate<Context>(evaluator: Evaluator<Context>, macro: { pattern: Pattern | null }, context: Context) {
    const value = evaluator.run(text, context)
    if (typeof value !== 'string') throw new TypeError('re2() needs a string to search.')
    return macro.pattern!.matches(value)
  },
})

const patterns = new WeakMap<Node, Pattern>()

/**
 * Returns the compiled pattern of a literal. It is needed twice while an expression is compiled, and cached so that it is
 * compiled once.
 */
export function patternOf(literal: Node): Pattern {
  const known = patterns.get(literal)
  if (known) return known
  if (literal.op !== 'value' || typeof literal.args !== 'string')
    throw new CompileError('The pattern of re2() must be a literal string.', literal.start)
  const pattern = compileExpressionPattern(literal.args, literal.start)
  patterns.set(literal, pattern)
  return pattern
}
