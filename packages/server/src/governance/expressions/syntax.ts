import type { ASTNode } from '@marcbachmann/cel-js'

/**
 * An AST node of the library, with the checked type that the library's own types leave out. It is set once the node is checked.
 */
export type Node = ASTNode & { readonly checkedType?: { readonly hasDynType: boolean } }

/** The functions that iterate over a list or map: their first argument names the element. */
export const comprehensions: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])

export interface Comprehension {
  readonly name: string
  readonly over: Node
  readonly variable: Node
  readonly body: readonly Node[]
}

export function comprehensionOf(node: Node): Comprehension | null {
  if (node.op !== 'rcall') return null
  const [name, over, [variable, ...body]] = node.args
  return comprehensions.has(name) && variable !== undefined ? { name, over, variable, body } : null
}

export function childrenOf(node: Node): readonly Node[] {
  if (node.op === 'value' || node.op === 'id') return []
  if (node.op === '.' || node.op === '.?') return [node.args[0]]
  if (node.op === 'call') return node.args[1]
  if (node.op === 'rcall') return [node.args[1], ...node.args[2]]
  if (node.op === 'map') return node.args.flat()
  return node.op === '!_' || node.op === '-_' ? [node.args] : node.args
}

/** Returns the parts of `root.field`, where root may also be the variable of a comprehension. */
export function pathOf(node: Node): { readonly root: string; readonly field: string } | null {
  if (node.op !== '.') return null
  const [left, field] = node.args
  return left.op === 'id' ? { root: left.args, field } : null
}

/**
 * Returns the operands of `a && b && c`. One false operand makes the whole false, wherever it stands and whatever the others
 * return or fail with.
 */
export function conjunctsOf(root: Node): readonly Node[] {
  const found: Node[] = []
  const visit = (node: Node) => {
    if (node.op !== '&&') found.push(node)
    else for (const part of node.args) visit(part)
  }
  visit(root)
  return found
}
