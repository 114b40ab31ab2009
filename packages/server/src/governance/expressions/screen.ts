import { type Node, pathOf } from './syntax.ts'

/**
 * A cheap pre-check: returns false only when the expression evaluates to false, at a tenth of the cost of evaluating it. Most
 * rules end here.
 */
export type Screen = (variables: Variables) => boolean

type Variables = Readonly<Record<string, Readonly<Record<string, unknown>>>>
type Scalar = string | number | bigint

const comparisons = {
  '==': (a: Scalar, b: Scalar) => a === b,
  '!=': (a: Scalar, b: Scalar) => a !== b,
  '<': (a: Scalar, b: Scalar) => a < b,
  '<=': (a: Scalar, b: Scalar) => a <= b,
  '>': (a: Scalar, b: Scalar) => a > b,
  '>=': (a: Scalar, b: Scalar) => a >= b,
} as const
type Comparison = keyof typeof comparisons
const mirrored = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

interface ScreenTest {
  readonly test: Screen
  /** True when a true result is as certain as a false one. */
  readonly isExact: boolean
}

export const screenOf = (root: Node): Screen | null => buildScreen(root)?.test ?? null

/**
 * Builds the pre-check of a node from parts that cannot fail: existing fields, of the type that the checker has verified, and
 * literals.
 */
function buildScreen(node: Node): ScreenTest | null {
  if (node.op === '&&') return both(buildScreen(node.args[0]), buildScreen(node.args[1]))
  if (node.op === '||') return either(buildScreen(node.args[0]), buildScreen(node.args[1]))
  if (node.op === '!_') {
    const negated = buildScreen(node.args)
    return negated?.isExact ? exact((variables) => !negated.test(variables)) : null
  }
  if (node.op === 'in') return membershipScreen(node.args[0], node.args[1])
  if (node.op === 'rcall') return searchScreen(node.args[0], node.args[1], node.args[2])
  if (!isComparison(node)) return null
  const [left, right] = node.args
  return comparisonScreen(left, node.op, right) ?? comparisonScreen(right, mirrored[node.op], left)
}

const isComparison = (node: Node): node is Extract<Node, { op: Comparison }> => Object.hasOwn(comparisons, node.op)

const exact = (test: Screen): ScreenTest => ({ test, isExact: true })

function both(a: ScreenTest | null, b: ScreenTest | null): ScreenTest | null {
  const known = a ?? b
  if (a === null || b === null) return known && { test: known.test, isExact: false }
  return { test: (variables) => a.test(variables) && b.test(variables), isExact: a.isExact && b.isExact }
}

function either(a: ScreenTest | null, b: ScreenTest | null): ScreenTest | null {
  if (a === null || b === null) return null
  return { test: (variables) => a.test(variables) || b.test(variables), isExact: a.isExact && b.isExact }
}

function literalOf(node: Node): Scalar | null {
  if (node.op === '-_') {
    const value = literalOf(node.args)
    return value === null || typeof value === 'string' ? null : -value
  }
  if (node.op !== 'value') return null
  const { args } = node
  return typeof args === 'string' || typeof args === 'number' || typeof args === 'bigint' ? args : null
}

function comparisonScreen(operand: Node, sign: Comparison, other: Node): ScreenTest | null {
  const [path, value] = [pathOf(operand), literalOf(other)]
  if (!path || value === null) return null
  const { root, field } = path
  const holds = comparisons[sign]
  return exact((variables) => holds(variables[root]![field] as Scalar, value))
}

function membershipScreen(operand: Node, list: Node): ScreenTest | null {
  const [path, other] = [pathOf(operand), pathOf(list)]
  if (path && list.op === 'list') {
    const { root, field } = path
    const values = list.args.map(literalOf)
    // An int also equals a double in a list; a string equals only strings.
    if (!values.every((value) => typeof value === 'string')) return null
    const wanted = new Set<unknown>(values)
    return exact((variables) => wanted.has(variables[root]![field]))
  }
  const value = literalOf(operand)
  if (!other || typeof value !== 'string') return null
  const { root, field } = other
  return exact((variables) => {
    const held = variables[root]![field] as readonly string[] | ReadonlyMap<string, unknown>
    return 'includes' in held ? held.includes(value) : held.has(value)
  })
}

const searches: Readonly<Record<string, (text: string, sought: string) => boolean>> = {
  startsWith: (text, sought) => text.startsWith(sought),
  endsWith: (text, sought) => text.endsWith(sought),
  contains: (text, sought) => text.includes(sought),
}

function searchScreen(name: string, text: Node, [sought, ...more]: readonly Node[]): ScreenTest | null {
  const [path, value, finds] = [pathOf(text), sought && literalOf(sought), searches[name]]
  if (!path || !finds || typeof value !== 'string' || more.length > 0) return null
  const { root, field } = path
  return exact((variables) => finds(variables[root]![field] as string, value))
}
