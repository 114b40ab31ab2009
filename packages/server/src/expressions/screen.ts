import { type Node, pathOf } from './syntax.ts'

/** Whether an expression can be true. Says no only where the library would, at a tenth of what that takes; most rules end here. */
export type Screen = (variables: Variables) => boolean

type Variables = Readonly<Record<string, Readonly<Record<string, unknown>>>>
type Scalar = string | number | bigint
type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

interface Screened {
  readonly test: Screen
  /** Whether a yes is as sure as a no. */
  readonly isExact: boolean
}

const mirrored: Readonly<Record<Comparison, Comparison>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

export const screenOf = (root: Node): Screen | null => screened(root)?.test ?? null

/** Only what cannot fail: fields that are there, of the type that the checker has made sure of, and literals. */
function screened(node: Node): Screened | null {
  switch (node.op) {
    case '&&':
      return both(screened(node.args[0]), screened(node.args[1]))
    case '||':
      return either(screened(node.args[0]), screened(node.args[1]))
    case '!_': {
      const of = screened(node.args)
      return of?.isExact ? exact((variables) => !of.test(variables)) : null
    }
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const [left, right] = node.args
      return compared(left, node.op, right) ?? compared(right, mirrored[node.op], left)
    }
    case 'in':
      return contained(node.args[0], node.args[1])
    case 'rcall':
      return searched(node.args[0], node.args[1], node.args[2])
    default:
      return null
  }
}

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
  const read = (variables: Variables) => variables[root]![field] as Scalar
  switch (sign) {
    case '==':
      return exact((variables) => read(variables) === value)
    case '!=':
      return exact((variables) => read(variables) !== value)
    case '<':
      return exact((variables) => read(variables) < value)
    case '<=':
      return exact((variables) => read(variables) <= value)
    case '>':
      return exact((variables) => read(variables) > value)
    case '>=':
      return exact((variables) => read(variables) >= value)
  }
}

function contained(of: Node, list: Node): Screened | null {
  const [path, other] = [pathOf(of), pathOf(list)]
  if (path && list.op === 'list') {
    const { root, field } = path
    const values = list.args.map(literalOf)
    // An int is also in a list of doubles; a string is only in one of strings.
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

function searched(name: string, text: Node, [sought, ...more]: readonly Node[]): Screened | null {
  const [path, value] = [pathOf(text), sought && literalOf(sought)]
  if (!path || typeof value !== 'string' || more.length > 0) return null
  const { root, field } = path
  const read = (variables: Variables) => variables[root]![field] as string
  switch (name) {
    case 'startsWith':
      return exact((variables) => read(variables).startsWith(value))
    case 'endsWith':
      return exact((variables) => read(variables).endsWith(value))
    case 'contains':
      return exact((variables) => read(variables).includes(value))
    default:
      return null
  }
}
