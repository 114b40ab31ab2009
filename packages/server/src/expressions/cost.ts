import { type ExpressionEnvironment, type Field, patternOf } from './environment.ts'
import { childrenOf, comprehensionOf, type Node, pathOf } from './syntax.ts'

/** In steps, of which one takes at most about 40 ns. */
export const mostCost = 100_000

/** How large a value can be: characters of a string, or elements of a list or map and how large one is. */
interface Extent {
  readonly length: number
  readonly element: Extent | null
  /** Of a map: how large what a key leads to can be. */
  readonly value: Extent | null
}

interface Estimate {
  readonly cost: number
  readonly extent: Extent
}

const sized = (length: number, element: Extent | null = null, value: Extent | null = null): Extent => ({
  length,
  element,
  value,
})
const scalar = sized(1)
const written = sized(330)

// To fail and to go on costs as much as thirty steps.
const failing = 30
const charactersPerStep = 16

/**
 * The most that an expression can cost, from the most that its variables can hold. Every value has a bound on its size, so that
 * strings that are joined and lists that are put together count for what they become.
 */
export function costOf(root: Node, { variables }: ExpressionEnvironment): number {
  const estimate = (node: Node, bound: ReadonlyMap<string, Extent>): Estimate => {
    const path = pathOf(node)
    if (path && !bound.has(path.root)) return { cost: 4, extent: extentOf(variables.get(path.root)!.get(path.field)!) }
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
      extent: sized(range.extent.length, resultOf(name, range.extent, parts)),
    }
  }
  return Math.ceil(estimate(root, new Map()).cost)
}

/** What stands in the list that a comprehension makes. */
function resultOf(name: string, range: Extent, parts: readonly Estimate[]): Extent | null {
  if (name === 'map') return parts.at(-1)?.extent ?? null
  return name === 'filter' ? range.element : null
}

function extentOf(field: Field): Extent {
  switch (field.kind) {
    case 'string':
      return sized(field.maxLength)
    case 'strings':
      return sized(field.maxItems, sized(field.maxLength))
    case 'values':
      return sized(field.maxEntries, sized(field.maxKeyLength), sized(field.maxLength))
    case 'int':
    case 'double':
    case 'bool':
      return scalar
  }
}

/** Looking at all of a value. */
const weight = ({ length, element, value }: Extent): number => {
  if (element === null && value === null) return 1 + length / charactersPerStep
  return length * (1 + (element ? weight(element) : 0) + (value ? weight(value) : 0))
}

const larger = (a: Extent | null, b: Extent | null): Extent | null => {
  if (a === null || b === null) return a ?? b
  return sized(Math.max(a.length, b.length), larger(a.element, b.element), larger(a.value, b.value))
}

const largest = (estimates: readonly Estimate[]): Extent | null =>
  estimates.reduce<Extent | null>((most, { extent }) => larger(most, extent), null)

function estimateOf(node: Node, parts: readonly Estimate[]): Estimate {
  const below = parts.reduce((sum, { cost }) => sum + cost, 0)
  const [first = scalar, second = scalar] = parts.map(({ extent }) => extent)
  const isDynamic = childrenOf(node).some(({ checkedType }) => checkedType?.hasDynType !== false)
  const dynamic = isDynamic ? failing : 0
  switch (node.op) {
    case 'value':
      return { cost: 1, extent: typeof node.args === 'string' ? sized(node.args.length) : scalar }
    case 'id':
      return { cost: 2, extent: scalar }
    case 'list':
      return { cost: below + 4, extent: sized(parts.length, largest(parts)) }
    case 'map': {
      const [keys, held] = [parts.filter((_, i) => i % 2 === 0), parts.filter((_, i) => i % 2 === 1)]
      return { cost: below + 10 + 8 * keys.length, extent: sized(keys.length, largest(keys), largest(held)) }
    }
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return { cost: below + 6 + failing, extent: first.value ?? first.element ?? first }
    case '?:':
      return { cost: below + 4, extent: larger(second, parts[2]?.extent ?? null) ?? scalar }
    case '&&':
    case '||':
    case '!_':
      return { cost: below + 3 + dynamic, extent: scalar }
    case '-_':
      return { cost: below + 3 + dynamic, extent: scalar }
    case 'in':
      return {
        cost: below + 4 + dynamic + second.length * (1 + Math.min(weight(first), weight(second.element ?? scalar))),
        extent: scalar,
      }
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { cost: below + 4 + dynamic + Math.min(weight(first), weight(second)), extent: scalar }
    case '+': {
      const extent = sized(first.length + second.length, larger(first.element, second.element))
      return { cost: below + 4 + failing + weight(extent), extent }
    }
    case '-':
    case '*':
    case '/':
    case '%':
      return { cost: below + 4 + failing, extent: scalar }
    case 'call':
    case 'rcall':
      return callOf(node.args[0], node, below + 6 + dynamic, first, second)
  }
}

function callOf(name: string, node: Node, cost: number, text: Extent, other: Extent): Estimate {
  switch (name) {
    case 'has':
      return { cost: cost + failing, extent: scalar }
    case 're2': {
      const { size } = patternOf(childrenOf(node).at(-1)!)
      return { cost: cost + failing + (text.length * size) / 4, extent: scalar }
    }
    case 'contains':
      return { cost: cost + (text.length * Math.min(text.length, other.length)) / 64, extent: scalar }
    case 'lowerAscii':
    case 'upperAscii':
      // Some letters become three.
      return { cost: cost + text.length, extent: sized(3 * text.length) }
    case 'startsWith':
    case 'endsWith':
      return { cost: cost + Math.min(text.length, other.length) / charactersPerStep, extent: scalar }
    case 'trim':
      return { cost: cost + text.length / charactersPerStep, extent: text }
    case 'string':
      return { cost: cost + failing, extent: sized(Math.max(text.length, written.length)) }
    default:
      return { cost: cost + failing + text.length / 4, extent: scalar }
  }
}
