import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import { shortTime, usd, usedShare } from '../output/amounts.ts'
import type { Cell, Column } from '../output/terminal.ts'
import { orgPath, type Session } from '../session/session.ts'
import { isRecord, type Json, recordsOf, textOf } from '../values.ts'
import { action, type Context } from './context.ts'

type Budget = components['schemas']['Budget']

export function addLimitCommands(program: Command) {
  action(
    program
      .command('budgets')
      .description('show budgets: what is spent, what is held, what is left')
      .option('--scope-kind <kind>', 'only those of a kind of scope, such as department')
      .option('--scope <id>', 'only those of one scope'),
    budgets,
  )
  action(
    program.command('limits').description('show every limit of the organization, with those that bind by default'),
    limits,
  )
}

const moneyColumns: Column[] = [
  { title: 'LIMIT' },
  { title: 'SCOPE' },
  { title: 'PERIOD' },
  { title: 'AMOUNT', align: 'right' },
  { title: 'SPENT', align: 'right' },
  { title: 'HELD', align: 'right' },
  { title: 'LEFT', align: 'right' },
  { title: 'USED', align: 'right' },
  { title: 'UNTIL' },
]

const scopeOf = (row: Json) =>
  [textOf(row, 'scope_kind'), textOf(row, 'scope_id'), textOf(row, 'and_scope_kind'), textOf(row, 'and_scope_id')]
    .filter(Boolean)
    .join(' ')

const moneyCells = (name: string, scope: string, row: Json, limit = row['limit_usd']): Cell[] => [
  name,
  scope,
  textOf(row, 'period') || 'day',
  usd(limit),
  usd(row['spent_usd']),
  usd(row['held_usd']),
  usd(row['remaining_usd']),
  usedShare(limit, row['remaining_usd']),
  shortTime(row['period_end']),
]

async function budgets({ terminal, isJson, session }: Context, options: { scopeKind?: string; scope?: string }) {
  const opened = await session()
  const query = { scope_kind: options.scopeKind, scope_id: options.scope }
  const rows = await opened.client.all<Budget>(`${orgPath(opened)}/budgets`, query)
  if (isJson) return terminal.json(rows)
  terminal.table(
    moneyColumns,
    rows.map((row) => moneyCells(row.name, scopeOf(row), row)),
  )
}

/** Lists of the API that together are the limits of an organization. */
const lists = ['budgets', 'customer-limits', 'concurrency-limits', 'budget-defaults', 'concurrency-defaults'] as const
const singles = ['spend-cap', 'customer-limit-default', 'chain-limits', 'quota'] as const

async function limits({ terminal, isJson, session }: Context) {
  const all = await everyLimit(await session(), (line) => terminal.progress(line))
  if (isJson) return terminal.json(all)
  const cap = all['spend-cap']
  const rows = [
    ...(isRecord(cap) && cap['cap_usd'] !== null ? [moneyCells('spend cap', 'org', cap, cap['cap_usd'])] : []),
    ...recordsOf(all['budgets']).map((row) => moneyCells(`budget ${textOf(row, 'name')}`, scopeOf(row), row)),
    ...recordsOf(all['customer-limits']).map((row) =>
      moneyCells('customer limit', `customer ${textOf(row, 'customer_id')}`, row),
    ),
    ...recordsOf(all['budget-defaults']).map((row) => moneyCells('default', `every ${textOf(row, 'scope_kind')}`, row)),
  ]
  const byDefault = all['customer-limit-default']
  if (isRecord(byDefault) && textOf(byDefault, 'period') !== '')
    rows.push(moneyCells('default', 'every customer', byDefault))
  terminal.table(moneyColumns, rows)
  const runs = [...recordsOf(all['concurrency-limits']), ...recordsOf(all['concurrency-defaults'])]
  if (runs.length === 0) return
  terminal.print()
  terminal.table(
    [
      { title: 'RUNS AT ONCE' },
      { title: 'SCOPE' },
      { title: 'MOST', align: 'right' },
      { title: 'NOW', align: 'right' },
    ],
    runs.map((row) => [
      textOf(row, 'name') || 'default',
      scopeOf(row),
      textOf(row, 'max_runs'),
      textOf(row, 'running'),
    ]),
  )
}

async function everyLimit(session: Session, onProgress: (line: string) => void): Promise<Json> {
  const found: Record<string, unknown> = {}
  for (const name of lists) {
    onProgress(`reading ${name}`)
    const query = name.endsWith('-defaults') ? { limit: undefined } : {}
    found[name] = await session.client.all(`${orgPath(session)}/${name}`, query)
  }
  for (const name of singles) found[name] = await session.client.get(`${orgPath(session)}/${name}`)
  return found
}
