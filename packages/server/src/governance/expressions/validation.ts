import type { ExpressionEnvironment } from './environment.ts'
import { CompileError } from './fault.ts'
import { childrenOf, comprehensionOf, type Node, pathOf } from './syntax.ts'

const maxComprehensionDepth = 2
const maxPatterns = 10
const maxInt = 2n ** 63n - 1n

// Keys that the library would drop silently.
const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Refuses constructs that the library accepts but rules may not use. Returns the variables that are used. */
export function validateSyntax(root: Node, { variables }: ExpressionEnvironment): ReadonlySet<string> {
  const names = new Set<string>()
  let patterns = 0

  const visit = (node: Node, bound: readonly string[]) => {
    const path = pathOf(node)
    if (path && !bound.includes(path.root)) return visitField(node, path)
    const comprehension = comprehensionOf(node)
    if (comprehension) {
      const { over, variable, body } = comprehension
      visit(over, bound)
      const inner = [...bound, nameOf(variable, bound)]
      if (inner.length > maxComprehensionDepth)
        throw new CompileError(`List functions can be nested at most ${maxComprehensionDepth} levels deep.`, node.pos)
      for (const part of body) visit(part, inner)
      return
    }
    if (node.op === 'id' && !bound.includes(node.args))
      throw new CompileError(missingFieldMessage(node.args), node.start)
    if (node.op === 'value') validateLiteral(node)
    if (node.op === 'map') for (const [key] of node.args) validateKey(key)
    if ((node.op === 'call' || node.op === 'rcall') && node.args[0] === 're2' && ++patterns > maxPatterns)
      throw new CompileError(`An expression can have at most ${maxPatterns} patterns.`, node.start)
    for (const child of childrenOf(node)) visit(child, bound)
  }

  const visitField = (node: Node, { root: name, field }: { root: string; field: string }) => {
    const fields = variables.get(name)
    if (!fields) throw new CompileError(`Unknown variable: ${name}.`, node.start)
    if (!fields.has(field))
      throw new CompileError(`${name} has no field ${field}. It has: ${[...fields.keys()].join(', ')}.`, node.pos)
    names.add(name)
  }

  const missingFieldMessage = (name: string) => {
    const fields = variables.get(name)
    return fields ? `Name a field of ${name}: ${[...fields.keys()].join(', ')}.` : `Unknown variable: ${name}.`
  }

  const nameOf = (variable: Node, bound: readonly string[]): string => {
    if (variable.op !== 'id') throw new CompileError('This must be a name for the element.', variable.start)
    if (variables.has(variable.args) || bound.includes(variable.args))
      throw new CompileError(
        `The name ${variable.args} is already in use. Choose another name for the element.`,
        variable.start,
      )
    return variable.args
  }

  visit(root, [])
  return names
}

function validateLiteral(node: Node) {
  const value: unknown = node.args
  if (typeof value === 'bigint' && value > maxInt)
    throw new CompileError(`An int can be at most ${maxInt}.`, node.start)
  if (value instanceof Uint8Array)
    throw new CompileError('Byte literals are not supported. Write a string.', node.start)
  if (typeof value === 'object' && value !== null)
    throw new CompileError('Unsigned numbers are not supported. Leave out the u.', node.start)
}

function validateKey(key: Node) {
  if (key.op !== 'value' || typeof key.args !== 'string')
    throw new CompileError('The keys of a map must be literal strings.', key.start)
  if (unsafeKeys.has(key.args)) throw new CompileError(`A map cannot have the key ${key.args}.`, key.start)
}
