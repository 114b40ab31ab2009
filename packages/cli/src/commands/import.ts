import type { Command } from 'commander'
import { Fault } from '../faults.ts'
import { openLitellmApi } from '../litellm/api.ts'
import { carryKeys, findKeys } from '../litellm/carry-keys.ts'
import { CarriedLimits } from '../litellm/carry-limits.ts'
import { carryRuns } from '../litellm/carry-runs.ts'
import { openLitellmDatabase } from '../litellm/database.ts'
import { timeOf } from '../litellm/labels.ts'
import { type ImportPlan, planImport } from '../litellm/plan.ts'
import type { LitellmSource, LitellmState } from '../litellm/source.ts'
import { countOf } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import type { Terminal } from '../output/terminal.ts'
import { orgPath, requireKey, requireUrl } from '../session/session.ts'
import { textOf } from '../values.ts'
import { action, type Context, isInTheOpen } from './context.ts'

interface Options {
  readonly databaseUrl?: string
  readonly litellmUrl?: string
  readonly masterKeyEnv: string
  readonly organization?: string
  readonly grace?: string
  readonly days: string
  readonly until?: string
  readonly yes?: boolean
}

export function addImportCommands(program: Command) {
  const imports = program.command('import').description('carry over what another gateway has')
  action(
    imports
      .command('litellm')
      .description(
        'carry over teams, budgets, end users, keys and the log of LiteLLM, from its database or by its API; without --yes it shows what would be done',
      )
      .option(
        '--database-url <url>',
        "LiteLLM's database; better in LITELLM_DATABASE_URL, where no other program sees it",
      )
      .option('--litellm-url <url>', "LiteLLM's own address, to read it by its API instead")
      .option('--master-key-env <name>', 'the environment variable with its master key', 'LITELLM_MASTER_KEY')
      .option(
        '--organization <id>',
        'the organization of LiteLLM to carry over, `none` for what is in none, or `all` for all as one',
      )
      .option('--grace <days>', 'how long old keys work, such as 30d; by default as long as the server allows')
      .option('--days <days>', 'how much of the log to carry over', '90')
      .option('--until <time>', 'only calls that began before, such as when the hook of LiteLLM began to report them')
      .option('--yes', 'do it'),
    importLitellm,
  )
}

/** A log older than this cannot be recorded; an hour is left for the import itself. */
const mostDays = 90
const dayMs = 86_400_000
/** The budgets that an organization can have where no operator has set another number. */
const usualBudgets = 1_000
/** An organization with few requests per minute makes an import slow, not impossible. */
const longestWaitMs = 900_000

async function importLitellm(context: Context, options: Options) {
  const now = new Date()
  const { since, until, endsAt } = timesOf(options, now)
  const open = sourceOf(context, options)
  const opened = await context.session()
  const path = orgPath(opened)
  const source = await open()
  try {
    const state = await source.state()
    const plan = planImport(state, organizationOf(state, options.organization), now)
    const desk = {
      ...context,
      client: opened.client.patient(longestWaitMs),
      path,
      source,
      plan,
      since,
      until,
      endsAt,
      now,
    }
    await (options.yes === true ? carry(desk) : show(desk))
  } finally {
    await source.close()
  }
}

/** Finds where LiteLLM is read: its API where an address of it is given, else its database. */
function sourceOf({ env, terminal }: Context, options: Options): () => Promise<LitellmSource> | LitellmSource {
  const { litellmUrl, masterKeyEnv } = options
  if (litellmUrl !== undefined) {
    if (options.databaseUrl !== undefined)
      throw new Fault('usage', 'LiteLLM is read by its API or from its database, not both')
    const url = requireUrl(litellmUrl)
    const key = requireKey(env[masterKeyEnv] ?? '')
    if (isInTheOpen(url))
      terminal.note(`weir: ${url} is not encrypted: whoever is on the way reads LiteLLM's master key`)
    return () => openLitellmApi(url, key)
  }
  const url = options.databaseUrl ?? env['LITELLM_DATABASE_URL']
  if (url === undefined || url === '')
    throw new Fault(
      'usage',
      'where is LiteLLM?',
      'Set LITELLM_DATABASE_URL; or give --litellm-url, with the master key in LITELLM_MASTER_KEY.',
    )
  return () => openLitellmDatabase(url)
}

function timesOf({ grace, days, until }: Options, now: Date) {
  const daysIn = (text: string, option: string) => {
    const [, count] = /^(\d{1,4})d?$/.exec(text) ?? []
    if (count === undefined) throw new Fault('usage', `"${text}" is no number of days`, `Write: ${option} 30`)
    return Number(count)
  }
  const end = until === undefined ? undefined : timeOf(until)
  if (until !== undefined && !end)
    throw new Fault('usage', `"${until}" is no time`, 'Write: --until 2027-01-31T00:00:00Z')
  const back = Math.min(daysIn(days, '--days'), mostDays) * dayMs
  const since = now.getTime() - back + (back === mostDays * dayMs ? 3_600_000 : 0)
  return {
    // A whole second: LiteLLM's API knows no shorter time.
    since: new Date(Math.ceil(since / 1_000) * 1_000),
    until: end,
    endsAt: grace === undefined ? undefined : new Date(now.getTime() + daysIn(grace, '--grace') * dayMs),
  }
}

/** Returns which organization of LiteLLM becomes the one of Weir; with several, somebody must say. */
function organizationOf({ organizations }: LitellmState, wanted: string | undefined): string {
  const ids = organizations.map((row) => textOf(row, 'organization_id'))
  if (wanted === undefined && ids.length === 0) return 'all'
  if (wanted !== undefined && (['all', 'none'].includes(wanted) || ids.includes(wanted))) return wanted
  const list = organizations.map((row) => `${textOf(row, 'organization_id')} (${textOf(row, 'organization_alias')})`)
  throw new Fault(
    'usage',
    wanted === undefined ? 'LiteLLM has organizations: which one is this?' : `LiteLLM has no organization "${wanted}"`,
    `Give --organization with one of: ${[...list, 'none', 'all'].join(', ')}`,
  )
}

interface Desk extends Context {
  readonly client: Awaited<ReturnType<Context['session']>>['client']
  readonly path: string
  readonly source: LitellmSource
  readonly plan: ImportPlan
  readonly since: Date
  readonly until: Date | undefined
  readonly endsAt: Date | undefined
  readonly now: Date
}

const limitsOf = ({ keys, limits }: ImportPlan) => [...limits, ...keys.flatMap((key) => key.limits)]

/** Shows what would be done. */
async function show({ terminal, isJson, client, path, source, plan, since, now }: Desk) {
  const [found, logs] = [await findKeys({ client, path }, plan.keys), await source.count(since)]
  const expired = plan.keys.filter(({ token, expiresAt }) => !found.has(token) && expiresAt && expiresAt <= now).length
  const limits = limitsOf(plan).length
  const { left, said } = plan.notes
  if (isJson) {
    const keys = { all: plan.keys.length, there: found.size, expired }
    return terminal.json({ keys, limits, logs, not_carried_over: left, different: said })
  }
  terminal.print(
    `Keys: ${plan.keys.length - found.size - expired} to register, ${found.size} there, ${expired} expired and left out.`,
  )
  terminal.print(`Limits: ${countOf(limits, 'budget or limit of an end user', 'budgets and limits of end users')}.`)
  const budgets = limitsOf(plan).filter(({ scope }) => scope['customer_id'] === undefined).length
  if (budgets > usualBudgets)
    terminal.print(
      `  ${budgets} of them are budgets: an operator must set SVC_BUDGETS_PER_ORG to at least that (it is ${usualBudgets} where nobody has).`,
    )
  terminal.print(`Log: ${countOf(logs, 'call')} since ${since.toISOString()}.`)
  printNotes(terminal, plan)
  terminal.print('Nothing was changed. Add --yes to do it.')
}

function printNotes(terminal: Terminal, { notes }: ImportPlan) {
  if (notes.left.length > 0) terminal.print('Not carried over:')
  for (const { what, count, examples } of notes.left)
    terminal.print(
      `  ${count} × ${cleanLine(what)}${examples.length === 0 ? '' : cleanLine(` (such as ${examples.join(', ')})`)}`,
    )
  if (notes.said.length > 0) terminal.print('Different afterwards:')
  for (const what of notes.said) terminal.print(`  ${cleanLine(what)}`)
}

/** Does it. Each step looks at what is there, so that an import that was killed goes on where it was. */
async function carry(desk: Desk) {
  const { terminal, isJson, client, path, source, plan, since, until, endsAt, now } = desk
  const seconds: Record<string, number> = {}
  let began = performance.now()
  const took = (part: string) => {
    seconds[part] = (seconds[part] ?? 0) + Math.round(performance.now() - began) / 1_000
    began = performance.now()
  }
  const limits = new CarriedLimits({
    client,
    path,
    onProgress: (what, done, all) => terminal.progress(`${what}: ${done} of ${all}`),
  })
  // Before the keys: no key works without the limits of its team.
  await limits.make(plan.limits)
  took('limits')
  const owners = await ownersOf(desk)
  const keys = await carryKeys(
    { client, path, endsAt, owners, onProgress: (done) => terminal.progress(`keys: ${done} of ${plan.keys.length}`) },
    plan.keys,
    now,
  )
  took('keys')
  await limits.make(limitsOfKeys(plan, keys.ids))
  took('limits')
  const runs = await carryRuns({
    source,
    client,
    since,
    until,
    keyIds: keys.ids,
    isChosen: plan.isChosen,
    onLog: (log, isRecorded) => limits.count(log, isRecorded ? keys.ids.get(log.api_key) : undefined),
    onProgress: ({ read, made }) => terminal.progress(`calls: ${read} read, ${made} recorded`),
  })
  took('calls')
  await limits.settle()
  await limits.freeze(plan.keys.flatMap(({ token, isBlocked }) => (isBlocked ? (keys.ids.get(token) ?? []) : [])))
  took('spent')
  const { made, there, different, adjusted, frozen } = limits
  if (isJson)
    return terminal.json({
      since: since.toISOString(),
      keys: { registered: keys.made, there: keys.there, refused: keys.refused },
      limits: { made, there, different, adjusted, frozen },
      calls: { ...runs, reasons: Object.fromEntries(runs.reasons) },
      seconds,
      not_carried_over: plan.notes.left,
      different: plan.notes.said,
    })
  terminal.print(`Keys: ${keys.made} registered, ${keys.there} there before, ${keys.refused.length} refused.`)
  for (const { what, why } of keys.refused.slice(0, 10)) terminal.print(`  ${cleanLine(`${what}: ${why}`)}`)
  terminal.print(
    `Limits: ${made} made, ${there} there before, ${adjusted} raised to what LiteLLM had counted, ${frozen} frozen.`,
  )
  for (const line of different.slice(0, 10)) terminal.print(`  left as it is: ${cleanLine(line)}`)
  terminal.print(
    `Calls: ${runs.made} recorded, ${runs.there} there before, ${runs.different} there with other content, ${runs.reported} reported by others, ${runs.foreign} of other organizations, ${runs.refused} refused; ${Math.round(runs.read / Math.max(seconds['calls'] ?? 0, 0.001))} per second.`,
  )
  for (const [why, count] of runs.reasons) terminal.print(`  ${count} × ${cleanLine(why)}`)
  printNotes(terminal, plan)
}

const limitsOfKeys = ({ keys }: ImportPlan, ids: ReadonlyMap<string, string>) =>
  keys.flatMap(({ token, limits }) => {
    const id = ids.get(token)
    return id === undefined ? [] : limits.map((limit) => ({ ...limit, scope: { ...limit.scope, scope_id: id } }))
  })

/** Returns members by their addresses, who answer for the keys that were theirs. */
async function ownersOf({ client, path }: Desk): Promise<Map<string, string>> {
  const members = await client.all(`${path}/members`)
  return new Map(
    members.filter((row) => textOf(row, 'status') === 'active').map((row) => [textOf(row, 'email'), textOf(row, 'id')]),
  )
}
