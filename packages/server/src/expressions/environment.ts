import { Environment } from '@marcbachmann/cel-js'
import { Refused } from './fault.ts'
import { compilePattern, type Pattern } from './patterns.ts'
import { comprehensions, type Node } from './syntax.ts'

/** A field of a variable, with the most that it can hold: what an expression may cost follows from it. */
export type Field =
  | { readonly kind: 'int' | 'double' | 'bool' }
  | { readonly kind: 'string'; readonly maxLength: number }
  | { readonly kind: 'strings'; readonly maxItems: number; readonly maxLength: number }
  | { readonly kind: 'values'; readonly maxEntries: number; readonly maxKeyLength: number; readonly maxLength: number }

/** A variable is an object of a class that has at least these fields. */
export interface Variable {
  readonly of: new (...args: never) => object
  readonly fields: Readonly<Record<string, Field>>
}

/** What expressions can speak about, and in which words. */
export interface ExpressionEnvironment {
  readonly cel: Environment
  /** The value of a part of an expression that has been checked. */
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

/** Why a function cannot be called, or null. */
export function refusalOf(name: string): string | null {
  if (functions.has(name)) return null
  if (name === 'matches') return 'matches() can take forever: write re2(text, "pattern") or text.re2("pattern").'
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

export function expressionEnvironment(variables: Readonly<Record<string, Variable>>): ExpressionEnvironment {
  const cel = new Environment({ limits })
  mixNumbers(cel)
  cel.registerFunction('re2(ast, ast): bool', ({ args }: MacroCall) => matchMacro(args[0]!, args[1]!))
  cel.registerFunction('string.re2(ast): bool', ({ receiver, args }: MacroCall) => matchMacro(receiver, args[0]!))
  for (const [name, { of, fields }] of Object.entries(variables)) {
    const types = Object.entries(fields).map(([field, { kind }]) => [field, celTypes[kind]])
    cel.registerType(name, { ctor: of, fields: Object.fromEntries(types) as Record<string, string> })
    cel.registerVariable(name, name)
  }
  const named = Object.entries(variables).map(([name, { fields }]) => [name, new Map(Object.entries(fields))] as const)
  return { cel, valueOf: partsOf(cel), variables: new Map(named) }
}

/** An int and a double give a double: numbers that callers send are doubles, and a rule must not fail because one says 1 and not 1.0. */
function mixNumbers(cel: Environment) {
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

/** The library evaluates whole expressions only. This is one that stands for any part of another; nobody can write it. */
function partsOf(cel: Environment): ExpressionEnvironment['valueOf'] {
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

/** `re2`: its pattern is a literal, so that it is compiled once, and what is wrong with it is said when it is saved. */
const matchMacro = (text: Node, literal: Node) => ({
  async: false,
  pattern: null as Pattern | null,
  typeCheck<Context>(checker: Checker<Context>, macro: { pattern: Pattern | null }, context: Context) {
    const type = checker.check(text, context)
    if (type.kind !== 'dyn' && type.name !== 'string')
      throw new Refused(`re2() searches a string, not '${type.name}'.`, text.start)
    checker.check(literal, context)
    macro.pattern = patternOf(literal)
    return checker.getType('bool')
  },
  evaluate<Context>(evaluator: Evaluator<Context>, macro: { pattern: Pattern | null }, context: Context) {
    const value = evaluator.run(text, context)
    if (typeof value !== 'string') throw new TypeError('re2() searches a string, and this is none.')
    return macro.pattern!.matches(value)
  },
})

const patterns = new WeakMap<Node, Pattern>()

/** The pattern of a literal. Asked twice while an expression is compiled, and compiled once. */
export function patternOf(literal: Node): Pattern {
  const known = patterns.get(literal)
  if (known) return known
  if (literal.op !== 'value' || typeof literal.args !== 'string')
    throw new Refused('The pattern of re2() is a literal string.', literal.start)
  const pattern = compilePattern(literal.args, literal.start)
  patterns.set(literal, pattern)
  return pattern
}
