import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}
export interface RuleGroup {
  readonly name: string
  readonly rules: readonly Rule[]
}

export const rulesPath = new URL('../../../../deploy/prometheus/rules.yaml', import.meta.url)

/** Reads the rules that Weir ships. */
export const readRules = () => parse(readFileSync(rulesPath, 'utf8')) as { readonly groups: readonly RuleGroup[] }

export const allRules = (file = readRules()) => file.groups.flatMap(({ rules }) => rules)

const words = new Set(['and', 'or', 'unless', 'offset', 'bool'])

/** Lists the metrics that an expression of PromQL reads, each with the labels by which it selects. */
export function metricsOf(expression: string): { name: string; labels: string[] }[] {
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\boffset\s+\w+/g, ' ')
    .replace(/\b\d+(\.\d+)?(e\d+)?\b/g, ' ')
  const found = bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g)
  return [...found].flatMap(([, name = '', after = '']) => {
    if (after === '(' || words.has(name)) return []
    return [{ name, labels: [...after.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!) }]
  })
}

/** Lists the labels by which an expression groups or matches. */
export const groupingLabels = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(',').flatMap((label) => (label.trim() === '' ? [] : [label.trim()])),
  )
