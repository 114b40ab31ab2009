import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import { countOf, nanoUsd, usd, usdOfNanos } from '../output/amounts.ts'
import { sparkline } from '../output/terminal.ts'
import { orgPath, type Session } from '../session/session.ts'
import { textOf } from '../values.ts'
import { action, type Context } from './context.ts'

type Usage = components['schemas']['Usage']
type UsageRow = components['schemas']['UsageRow']

interface UsageOptions {
  readonly from?: string
  readonly to?: string
  readonly by: string
  readonly granularity: string
  readonly timezone?: string
}

export function addUsageCommands(program: Command) {
  action(
    program
      .command('usage')
      .description('show what was spent, with its course over time')
      .option('--from <day>', 'since a day, such as 2026-11-01')
      .option('--to <day>', 'until a day, which is not included')
      .option(
        '--by <dimension>',
        'model, provider, workflow_id, deployment_id, department_id, key_id, user_id or customer_id',
        'model',
      )
      .option('--granularity <step>', 'hour, day, week or month', 'day')
      .option('--timezone <zone>', 'the zone of days, such as Europe/Berlin'),
    usage,
  )
}

async function usage({ terminal, isJson, session }: Context, options: UsageOptions) {
  const opened = await session()
  const { rows, totals } = await everyRow(opened, options, (line) => terminal.progress(line))
  if (isJson) return terminal.json({ data: rows, totals })
  const periods = [...new Set(rows.map(({ period_start }) => period_start))].toSorted()
  const groups = [...Map.groupBy(rows, (row) => groupOf(row, options.by))].map(([name, all]) =>
    summary(name, all, periods),
  )
  terminal.table(
    [
      { title: options.by.replace(/_id$/, '').toUpperCase() },
      { title: 'RUNS', align: 'right' },
      { title: 'TOKENS IN', align: 'right' },
      { title: 'TOKENS OUT', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'COURSE' },
    ],
    groups
      .toSorted((one, other) => (one.nanos < other.nanos ? 1 : -1))
      .map(({ name, runs, input, output, nanos, course }) => [
        name,
        runs,
        input,
        output,
        usd(usdOfNanos(nanos)),
        course,
      ]),
  )
  terminal.print(terminal.paint(`${countOf(totals.runs, 'run')}, ${usd(totals.cost_usd)} in all`, 'strong'))
}

async function everyRow(session: Session, options: UsageOptions, onProgress: (line: string) => void) {
  const { from, to, by, granularity, timezone } = options
  const rows: UsageRow[] = []
  let page: Usage | undefined
  do {
    const query = { from, to, group_by: by, granularity, timezone, limit: 200, cursor: page?.next_cursor ?? undefined }
    page = await session.client.get<Usage>(`${orgPath(session)}/usage`, query)
    rows.push(...page.data)
    onProgress(`${rows.length} rows`)
  } while (page.next_cursor !== null)
  return { rows, totals: page.totals }
}

const groupOf = (row: UsageRow, by: string): string => textOf(row, by) || '(none)'

function summary(name: string, rows: readonly UsageRow[], periods: readonly string[]) {
  const costs = new Map(rows.map((row) => [row.period_start, nanoUsd(row.cost_usd)]))
  const sum = (field: 'runs' | 'input_tokens' | 'output_tokens') => rows.reduce((all, row) => all + row[field], 0)
  return {
    name,
    runs: sum('runs'),
    input: sum('input_tokens'),
    output: sum('output_tokens'),
    nanos: rows.reduce((all, row) => all + nanoUsd(row.cost_usd), 0n),
    course: sparkline(periods.slice(-40).map((period) => Number(costs.get(period) ?? 0n))),
  }
}
