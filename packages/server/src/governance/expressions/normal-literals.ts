import { folded, normalForm } from '../../values/normal-form.ts'
import type { ExpressionEnvironment } from './environment.ts'
import { childrenOf, comprehensionOf, type Node, pathOf } from './syntax.ts'

const searches: ReadonlySet<string> = new Set(['startsWith', 'endsWith', 'contains'])

/**
 * Brings the literals that an expression compares with names into the form that names have, however their author spelled them:
 * `run.action == "Refund"` is about the action `refund`. Patterns ignore letter case there.
 */
export function normalizeLiterals(root: Node, { variables }: ExpressionEnvironment) {
  /** The variables of comprehensions over lists of names. */
  const elements = new Set<string>()

  const isName = (node: Node): boolean => {
    if (node.op === 'id') return elements.has(node.args)
    const path = pathOf(node)
    const field = path && variables.get(path.root)?.get(path.field)
    return field !== null && field !== undefined && 'isName' in field && field.isName
  }

  function visit(node: Node) {
    const comprehension = comprehensionOf(node)
    if (comprehension && isName(comprehension.over) && comprehension.variable.op === 'id')
      elements.add(comprehension.variable.args)
    if (node.op === '==' || node.op === '!=') {
      const [left, right] = node.args
      if (isName(left)) rewrite(right, normalForm)
      if (isName(right)) rewrite(left, normalForm)
    }
    if (node.op === 'in') {
      const [element, list] = node.args
      if (isName(list)) rewrite(element, normalForm)
      if (isName(element) && list.op === 'list') for (const each of list.args) rewrite(each, normalForm)
    }
    if (node.op === 'rcall' && isName(node.args[1])) {
      const [name, , [sought]] = node.args
      if (sought && searches.has(name)) rewrite(sought, folded)
      if (sought && name === 're2') rewrite(sought, ignoringCase)
    }
    if (node.op === 'call' && node.args[0] === 're2') {
      const [text, pattern] = node.args[1]
      if (text && pattern && isName(text)) rewrite(pattern, ignoringCase)
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(root)
}

const ignoringCase = (pattern: string) => `(?i)${pattern}`

function rewrite(node: Node, form: (text: string) => string) {
  if (node.op === 'value' && typeof node.args === 'string') Object.assign(node, { args: form(node.args) })
}
