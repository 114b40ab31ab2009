import { present } from '../../values/present.ts'
import { type ExpressionEnvironment, type Field, patternOf } from './environment.ts'
import { CompileError } from './fault.ts'
import { childrenOf, comprehensionOf, type Node, pathOf } from './syntax.ts'

/** The highest cost of one expression, in steps. A step takes at most about 40 ns. */
export const maxCost = 100_000

/**
 * The size bound of a value: the characters of a string, or the entries of a list or map together with the bound of one entry.
 */
interface Extent {
  readonly length: number
  readonly element: Extent | null
  /** The bound of a map's values. */
  readonly value: Extent | null
}

interface Estimate {
  readonly cost: number
  readonly extent: Extent
}

const extentOfSize = (length: number, element: Extent | null = null, value: Extent | null = null): Extent => ({
  length,
  element,
  value,
})
const scalar = extentOfSize(1)
// The longest text of a number.
const maxNumberLength = 330

// Failing and recovering costs as much as thirty steps.
const failureCost = 30
const charactersPerStep = 16
const maxNesting = 2

/**
 * Returns the worst-case cost of an expression, derived from the largest values that its variables can hold. Every value has a
 * size bound, so concatenated strings and lists count with their resulting size.
 *
 * Values nested too deep are refused, and must be before types are checked: the library caches every type it meets forever.
 */
export function costOfExpression(root: Node, { variables }: ExpressionEnvironment): number {
  const estimate = (node: Node, bound: ReadonlyMap<string, Extent>): Estimate => {
    const result = estimateNode(node, bound)
    if (levels(result.extent) > maxNesting)
      throw new CompileError(`Lists and maps  can be nested at most ${maxNesting} levels deep.`, node.start)
    return result
  }
  const estimateNode = (node: Node, bound: ReadonlyMap<string, Extent>): Estimate => {
    const path = pathOf(node)
    if (path && !bound.has(path.root))
      return { cost: 4, extent: extentOf(present(variables.get(path.root)?.get(path.field))) }
    const element = node.op === 'id' ? bound.get(node.args) : undefined
    if (element) return { cost: 2, extent: element }
    const comprehension = comprehensionOf(node)
    if (!comprehension)
      return estimateOf(
        node,
        childrenOf(node).map((child) => estimate(child, bound)),
      )
    const { name, over, variable, body } = comprehension
    const range = estimate(over, bound)
    const inner = new Map(bound).set(variable.args as string, range.extent.element ?? range.extent)
    const parts = body.map((part) => estimate(part, inner))
    const each = parts.reduce((sum, { cost }) => sum + cost, 6)
    return {
      cost: 10 + range.cost + range.extent.length * each,
      extent: extentOfSize(range.extent.length, resultOf(name, range.extent, parts)),
    }
  }
  return Math.ceil(estimate(root, new Map()).cost)
}

/** Returns the element bound of the list that a comprehension produces. */
function resultOf(name: string, range: Extent, parts: readonly Estimate[]): Extent | null {
  if (name === 'map') return parts.at(-1)?.extent ?? null
  return name === 'filter' ? range.element : null
}

function extentOf(field: Field): Extent {
  if (field.kind === 'string') return extentOfSize(field.maxLength)
  if (field.kind === 'strings') return extentOfSize(field.maxItems, extentOfSize(field.maxLength))
  if (field.kind === 'values')
    return extentOfSize(field.maxEntries, extentOfSize(field.maxKeyLength), extentOfSize(field.maxLength))
  return scalar
}

const levels = ({ element, value }: Extent): number => {
  const inner = larger(element, value)
  return inner ? 1 + levels(inner) : 0
}

/** The cost of reading a whole value. */
const weight = ({ length, element, value }: Extent): number => {
  if (element === null && value === null) return 1 + length / charactersPerStep
  return length * (1 + (element ? weight(element) : 0) + (value ? weight(value) : 0))
}

const larger = (a: Extent | null, b: Extent | null): Extent | null => {
  if (a === null || b === null) return a ?? b
  return extentOfSize(Math.max(a.length, b.length), larger(a.element, b.element), larger(a.value, b.value))
}

const largest = (extents: readonly Extent[]): Extent | null =>
  extents.reduce<Extent | null>((most, extent) => larger(most, extent), null)

interface Operands {
  readonly node: Node
  readonly all: readonly Extent[]
  readonly first: Extent
  readonly second: Extent
  /** The cost of a failure, where types are known only at evaluation. */
  readonly dynamic: number
}

/** Estimates an operation: its cost without its operands, and the size of its result. */
type Estimator = (operands: Operands) => Estimate

function estimateOf(node: Node, parts: readonly Estimate[]): Estimate {
  const all = parts.map(({ extent }) => extent)
  const [first = scalar, second = scalar] = all
  const isDynamic = childrenOf(node).some(({ checkedType }) => checkedType?.hasDynType !== false)
  const { cost, extent } = operations[node.op]({ node, all, first, second, dynamic: isDynamic ? failureCost : 0 })
  return { cost: parts.reduce((sum, part) => sum + part.cost, cost), extent }
}

const toScalar = (cost: number): Estimate => ({ cost, extent: scalar })
const access: Estimator = ({ first }) => ({ cost: 6 + failureCost, extent: first.value ?? first.element ?? first })
const logic: Estimator = ({ dynamic }) => toScalar(3 + dynamic)
const arithmetic: Estimator = () => toScalar(4 + failureCost)
const comparison: Estimator = ({ first, second, dynamic }) =>
  toScalar(4 + dynamic + Math.min(weight(first), weight(second)))
const nameOf = (node: Node): string => (node.op === 'call' || node.op === 'rcall' ? node.args[0] : '')
const call: Estimator = (operands) => {
  const { cost, extent } = (functions[nameOf(operands.node)] ?? conversion)(operands)
  return { cost: 6 + operands.dynamic + cost, extent }
}

const operations: Readonly<Record<Node['op'], Estimator>> = {
  value: ({ node: { args } }) => ({ cost: 1, extent: typeof args === 'string' ? extentOfSize(args.length) : scalar }),
  id: () => toScalar(2),
  list: ({ all }) => ({ cost: 4, extent: extentOfSize(all.length, largest(all)) }),
  map: ({ all }) => {
    const [keys, held] = [all.filter((_, i) => i % 2 === 0), all.filter((_, i) => i % 2 === 1)]
    return { cost: 10 + 8 * keys.length, extent: extentOfSize(keys.length, largest(keys), largest(held)) }
  },
  '.': access,
  '.?': access,
  '[]': access,
  '[?]': access,
  '?:': ({ all }) => ({ cost: 4, extent: largest(all.slice(1)) ?? scalar }),
  '&&': logic,
  '||': logic,
  '!_': logic,
  '-_': logic,
  in: ({ first, second, dynamic }) =>
    toScalar(4 + dynamic + second.length * (1 + Math.min(weight(first), weight(second.element ?? scalar)))),
  '==': comparison,
  '!=': comparison,
  '<': comparison,
  '<=': comparison,
  '>': comparison,
  '>=': comparison,
  '+': ({ first, second }) => {
    const extent = extentOfSize(
      first.length + second.length,
      larger(first.element, second.element),
      larger(first.value, second.value),
    )
    return { cost: 4 + failureCost + weight(extent), extent }
  },
  '-': arithmetic,
  '*': arithmetic,
  '/': arithmetic,
  '%': arithmetic,
  call,
  rcall: call,
}

const affix: Estimator = ({ first, second }) => toScalar(Math.min(first.length, second.length) / charactersPerStep)
// Some letters become three when their case changes.
const casing: Estimator = ({ first }) => ({ cost: first.length, extent: extentOfSize(3 * first.length) })
const conversion: Estimator = ({ first }) => toScalar(failureCost + first.length / 4)

const functions: Readonly<Record<string, Estimator>> = {
  has: () => toScalar(failureCost),
  re2: ({ node, first }) => {
    const literal = childrenOf(node).at(-1)
    return toScalar(failureCost + (literal ? (first.length * patternOf(literal).size) / 4 : 0))
  },
  contains: ({ first, second }) => toScalar((first.length * Math.min(first.length, second.length)) / 64),
  startsWith: affix,
  endsWith: affix,
  lowerAscii: casing,
  upperAscii: casing,
  trim: ({ first }) => ({ cost: first.length / charactersPerStep, extent: first }),
  string: ({ first }) => ({ cost: failureCost, extent: extentOfSize(Math.max(first.length, maxNumberLength)) }),
}
