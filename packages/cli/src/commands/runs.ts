import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import type { Query } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { shortTime, usd } from '../output/amounts.ts'
import { cleanJson, cleanLine } from '../output/clean.ts'
import type { Terminal, Tone } from '../output/terminal.ts'
import type { Session } from '../session/session.ts'
import { action, type Context } from './context.ts'

type Run = components['schemas']['Run']

interface TailOptions {
  readonly follow: boolean
  readonly number: string
  readonly interval: string
  readonly model?: string
  readonly workflow?: string
  readonly customer?: string
  readonly status?: string
}

export function addRunCommands(program: Command) {
  const runs = program.command('runs').description('look at runs')
  action(
    runs
      .command('tail')
      .description('show the latest runs, and new ones as they start and end')
      .option('--no-follow', 'only show what is there')
      .option('-n, --number <count>', 'how many to begin with', '20')
      .option('--interval <seconds>', 'how often to look', '2')
      .option('--model <model>', 'only runs with a model')
      .option('--workflow <id>', 'only runs of a workflow')
      .option('--customer <id>', 'only runs of a customer')
      .option('--status <status>', 'only running, succeeded, failed, cancelled or expired ones'),
    tail,
  )
}

async function tail({ terminal, isJson, session }: Context, options: TailOptions) {
  const count = Number(options.number)
  const intervalMs = Number(options.interval) * 1_000
  if (!(Number.isInteger(count) && count >= 1 && count <= 200)) throw new Fault('usage', '-n is a number from 1 to 200')
  if (!(intervalMs >= 100)) throw new Fault('usage', '--interval is at least 0.1 seconds')
  const { client } = await session()
  const { model, workflow, customer, status } = options
  const filter = { model, workflow_id: workflow, customer_id: customer, status }
  const shown = new Map<string, string>()
  for (;;) {
    for (const run of await newsOf(client, filter, count, shown)) print(terminal, run, isJson)
    if (!options.follow) return
    await pause(intervalMs)
  }
}

/** Returns runs that are new, or that have changed since they were shown, oldest first. */
async function newsOf(
  client: Session['client'],
  filter: Query,
  count: number,
  shown: Map<string, string>,
): Promise<Run[]> {
  const isFirst = shown.size === 0
  const found: Run[] = []
  let looked = 0
  // A page without news ends the look back: what is older has been shown.
  for await (const run of client.rows<Run>('/v1/runs', { ...filter, limit: isFirst ? count : 200 })) {
    looked += 1
    if (shown.get(run.id) !== run.status) found.push(run)
    shown.set(run.id, run.status)
    if (looked >= (isFirst ? count : 200)) break
  }
  return found.toReversed()
}

const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  expired: 'warning',
  cancelled: 'quiet',
}

function print(terminal: Terminal, run: Run, isJson: boolean) {
  // One line for each run, for programs that read a stream.
  if (isJson) return terminal.print(JSON.stringify(JSON.parse(cleanJson(run))))
  const status = terminal.paint(run.status.padEnd(9), tones[run.status] ?? 'strong')
  const scope = [run.workflow_id, run.department_id, run.customer_id, run.user_id]
    .filter((one) => one !== null)
    .join(' ')
  const cost = run.cost_usd === null ? `${usd(run.reserved_usd)} held` : usd(run.cost_usd)
  const tokens = `${run.input_tokens ?? '-'}/${run.output_tokens ?? '-'} tokens`
  terminal.print(
    `${shortTime(run.started_at)}  ${status}  ${[run.model, cost, tokens, scope, run.id].map((text) => cleanLine(text)).join('  ')}`,
  )
}
