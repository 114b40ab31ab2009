import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import { shortTime, usd } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import type { Terminal } from '../output/terminal.ts'
import { orgPath } from '../session/session.ts'
import { isRecord, textOf } from '../values.ts'
import { action, type Context } from './context.ts'

type Refusal = components['schemas']['Refusal']
type Explanation = components['schemas']['Explanation']

interface RefusalOptions {
  readonly from?: string
  readonly to?: string
  readonly code?: string
  readonly workflow?: string
  readonly department?: string
  readonly customer?: string
  readonly key?: string
  readonly number: string
}

export function addRefusalCommands(program: Command) {
  action(
    program
      .command('refusals')
      .description('show calls that were refused, the latest first')
      .option('--from <time>', 'since a day or time, such as 2026-11-15')
      .option('--to <time>', 'until a day or time')
      .option('--code <code>', 'only with an error code, such as budget_exceeded')
      .option('--workflow <id>', 'only of a workflow')
      .option('--department <id>', 'only of a department')
      .option('--customer <id>', 'only of a customer')
      .option('--key <id>', 'only of a key')
      .option('-n, --number <count>', 'how many at most', '50'),
    refusals,
  )
  const decisions = program.command('decisions').description('look at decisions')
  action(
    decisions
      .command('explain')
      .description('show why a call was allowed or refused: its request, its price, and every limit at that moment')
      .argument('<decision>', 'the id of the decision, which every refusal has'),
    explain,
  )
}

async function refusals({ terminal, isJson, session }: Context, options: RefusalOptions) {
  const opened = await session()
  const { from, to, code, workflow, department, customer, key } = options
  const query = {
    from,
    to,
    error_code: code,
    workflow_id: workflow,
    department_id: department,
    customer_id: customer,
    key_id: key,
  }
  const most = Number(options.number)
  const rows: Refusal[] = []
  for await (const row of opened.client.rows<Refusal>(`${orgPath(opened)}/refusals`, query)) {
    if (rows.length >= most) break
    rows.push(row)
  }
  if (isJson) return terminal.json(rows)
  terminal.table(
    [
      { title: 'MINUTE' },
      { title: 'CALLS', align: 'right' },
      { title: 'CODE' },
      { title: 'MODEL' },
      { title: 'SCOPE' },
      { title: 'DECISION' },
    ],
    rows.map((row) => [
      shortTime(row.minute),
      row.count,
      { text: row.error_code, tone: 'bad' },
      row.model,
      [row.workflow_id, row.department_id, row.customer_id, row.user_id].filter((one) => one !== null).join(' '),
      row.explanation.decision_id,
    ]),
  )
}

async function explain({ terminal, isJson, session }: Context, _options: object, id = '') {
  const { client } = await session()
  const decision = await client.get<Explanation>(`/v1/decisions/${encodeURIComponent(id)}`)
  if (isJson) return terminal.json(decision)
  const isAllowed = decision.decision === 'allow'
  terminal.print(
    `${terminal.paint(cleanLine(decision.decision), isAllowed ? 'good' : 'bad')} at ${shortTime(decision.decided_at)}${decision.error_code === null ? '' : `: ${cleanLine(decision.error_code)}`}${decision.decided_by === null ? '' : `, by ${cleanLine(decision.decided_by)}`}`,
  )
  terminal.print(
    `price ${usd(decision.price.amount_usd)} (${cleanLine(decision.price.basis)}), key ${decision.key_id ?? '-'}`,
  )
  printInputs(terminal, decision.inputs)
  if (decision.limits.length > 0) printLimits(terminal, decision.limits)
}

function printInputs(terminal: Terminal, inputs: unknown) {
  for (const [name, value] of Object.entries(isRecord(inputs) ? inputs : {}))
    if (value !== null)
      terminal.print(
        `  ${cleanLine(`${name}: ${typeof value === 'object' ? JSON.stringify(value) : textOf(inputs, name)}`)}`,
      )
}

function printLimits(terminal: Terminal, limits: Explanation['limits']) {
  terminal.print()
  const amount = (unit: string, value: unknown) =>
    unit === 'usd' ? usd(value) : typeof value === 'number' ? value : null
  terminal.table(
    [
      { title: 'LIMIT' },
      { title: 'OF' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'SPENT', align: 'right' },
      { title: 'HELD', align: 'right' },
      { title: 'ASKED', align: 'right' },
      { title: 'FITS' },
    ],
    limits.map((limit) => [
      limit.kind,
      limit.subject,
      amount(limit.unit, limit.limit),
      amount(limit.unit, limit.spent),
      amount(limit.unit, limit.held),
      amount(limit.unit, limit.attempted),
      { text: limit.fits ? 'yes' : 'no', tone: limit.fits ? 'good' : 'bad' },
    ]),
  )
}
