import { type CompileResult, compileExpression, type ExpressionFault } from '../expressions/expressions.ts'
import { ruleEnvironment } from './variables.ts'

// Compiled expressions are cached by their text, since a set is compiled again whenever one of its rules changes. There are two
// generations, so that entries in use survive when the cache is full.
const maxNodes = 300_000
let [young, old] = [new Map<string, CompileResult>(), new Map<string, CompileResult>()]
let nodes = 0

export function compileRuleExpression(text: string): CompileResult {
  const known = young.get(text)
  if (known) return known
  const compiled = old.get(text) ?? compileExpression(ruleEnvironment, text)
  // A mistake is reported once; only expressions in use are worth caching.
  if (!compiled.ok) return compiled
  if (nodes > maxNodes) {
    old = young
    young = new Map()
    nodes = 0
  }
  nodes += 10 + compiled.expression.size + text.length / 100
  young.set(text, compiled)
  return compiled
}

/** Returns the mistake in a rule's expression, or null when it can be saved. */
export function checkRule(expression: string): ExpressionFault | null {
  const compiled = compileRuleExpression(expression)
  return compiled.ok ? null : compiled.fault
}
