import type { Action, Plan } from '../configuration/plan.ts'
import { cleanLine } from '../output/clean.ts'
import type { Terminal } from '../output/terminal.ts'
import { isRecord, type Json } from '../values.ts'

const signs = { create: '+', update: '~', remove: '-' } as const
const tones = { create: 'good', update: 'warning', remove: 'bad' } as const

/** Prints a plan: what is made, what is changed and how, what is removed. */
export function printPlan(terminal: Terminal, plan: Plan) {
  for (const action of plan.actions) {
    const { operation, label } = action
    terminal.print(`${terminal.paint(signs[operation], tones[operation])} ${cleanLine(label)}`)
    for (const line of details(action)) terminal.print(`    ${cleanLine(line)}`)
  }
  for (const problem of plan.problems) terminal.print(`${terminal.paint('!', 'bad')} ${cleanLine(problem)}`)
  terminal.print(`Plan: ${summaryOf(plan)}.`)
}

export function summaryOf({ actions, unchanged }: Plan): string {
  const count = (wanted: Action['operation']) => actions.filter(({ operation }) => operation === wanted).length
  return `${count('create')} to make, ${count('update')} to change, ${count('remove')} to remove, ${unchanged} as they should be`
}

function details(action: Action): string[] {
  if (action.operation === 'update')
    return action.differences.map(({ field, from, to }) => `${field}: ${display(partOf(from, to))} → ${display(to)}`)
  if (action.operation === 'remove') return []
  return Object.entries(action.body).map(([field, value]) => `${field}: ${display(value)}`)
}

/** Returns the part of an object that the file names. */
const partOf = (from: unknown, to: unknown): unknown =>
  isRecord(from) && isRecord(to)
    ? Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(to, name)))
    : from

/** A secret in the file is only the name of a variable; all else may be shown. */
const display = (value: unknown): string =>
  value === undefined ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value)

export const planJson = (plan: Plan): Json => ({
  changes: plan.actions.map((action) => ({
    operation: action.operation,
    section: action.kind.section,
    resource: action.label,
    ...(action.operation === 'update' && { differences: action.differences }),
    ...(action.operation === 'create' && isRecord(action.body) && { entry: action.body }),
  })),
  problems: plan.problems,
  unchanged: plan.unchanged,
})
