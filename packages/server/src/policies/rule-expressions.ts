import { type Compiled, compileExpression, type ExpressionFault } from '../expressions/expressions.ts'
import { ruleEnvironment } from './variables.ts'

// What is compiled is remembered by its text, since a set is compiled anew whenever one of its rules changes. Two generations, so
// that what is in use stays when there is no more room.
const mostNodes = 300_000
let [young, old] = [new Map<string, Compiled>(), new Map<string, Compiled>()]
let nodes = 0

export function compiledRule(text: string): Compiled {
  const known = young.get(text)
  if (known) return known
  const compiled = old.get(text) ?? compileExpression(ruleEnvironment, text)
  // What is wrong is told once; only what is in use is worth remembering.
  if (!compiled.ok) return compiled
  if (nodes > mostNodes) {
    old = young
    young = new Map()
    nodes = 0
  }
  nodes += 10 + compiled.expression.size + text.length / 100
  young.set(text, compiled)
  return compiled
}

/** What is wrong with the expression of a rule; nothing where it can be saved. */
export function checkRule(expression: string): ExpressionFault | null {
  const compiled = compiledRule(expression)
  return compiled.ok ? null : compiled.fault
}
