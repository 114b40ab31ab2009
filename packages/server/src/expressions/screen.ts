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

interface Screened {
  readonly test: Screen
  /** True when a true result is as certain as a false one. */
  readonly isExact: boolean
}

export const screenOf = (root: Node): Screen | null => screened(root)?.test ?? null

/**
 * Builds the pre-check of a node from parts that cannot fail: existing fields, of the type that the checker has verified, and
 * literals.
 */
function screened(node: Node): Screened | null {
  if (node.op === '&&') return both(screened(node.args[0]), screened(node.args[1]))
  if (node.op === '||') return either(screened(node.args[0]), screened(node.args[1]))
  if (node.op === '!_') {
    const of = screened(node.args)
    return of?.isExact ? exact((variables) => !of.test(variables)) : null
  }
  if (node.op === 'in') return contained(node.args[0], node.args[1])
  if (node.op === 'rcall') return searched(node.args[0], node.args[1], node.args[2])
  if (!isComparison(node)) return null
  const [left, right] = node.args
  return compared(left, node.op, right) ?? compared(right, mirrored[node.op], left)
}

const isComparison = (node: Node): node is Extract<Node, { op: Comparison }> => Object.hasOwn(comparisons, node.op)

const exact = (test: Screen): Screened => ({ test, isExact: true })

function both(a: Screened | null, b: Screened | null): Screened | null {
  const known = a ?? b
  if (a === null || b === null) return known && { test: known.test, isExact: false }
  return { test: (variables) => a.test(variables) && b.test(variables), isExact: a.isExact && b.isExact }
}

function either(a: Screened | null, b: Screened | null): Screened | null {
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

function compared(of: Node, sign: Comparison, other: Node): Screened | null {
  const [path, value] = [pathOf(of), literalOf(other)]
  if (!path || value === null) return null
  const { root, field } = path
  const holds = comparisons[sign]
  return exact((variables) => holds(variables[root]![field] as Scalar, value))
}

function contained(of: Node, list: Node): Screened | null {
  const [path, other] = [pathOf(of), pathOf(list)]
  if (path && list.op === 'list') {
    const { root, field } = path
    const values = list.args.map(literalOf)
    // An int also equals a double in a list; a string equals only strings.
    if (!values.every((value) => typeof value === 'string')) return null
    const wanted = new Set<unknown>(values)
    return exact((variables) => wanted.has(variables[root]![field]))
  }
  const value = literalOf(of)
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

function searched(name: string, text: Node, [sought, ...more]: readonly Node[]): Screened | null {
  const [path, value, finds] = [pathOf(text), sought && literalOf(sought), searches[name]]
  if (!path || !finds || typeof value !== 'string' || more.length > 0) return null
  const { root, field } = path
  return exact((variables) => finds(variables[root]![field] as string, value))
}
