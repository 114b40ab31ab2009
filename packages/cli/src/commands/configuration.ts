import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { applyPlan, makesSecrets, recoverSecrets } from '../configuration/apply.ts'
import { type Configuration, readConfiguration, readFileText } from '../configuration/document.ts'
import { exportConfiguration } from '../configuration/export.ts'
import { kinds } from '../configuration/kinds.ts'
import { makePlan, type Plan } from '../configuration/plan.ts'
import { missingRights } from '../configuration/rights.ts'
import { SecretsFile } from '../configuration/secrets-file.ts'
import schema from '../configuration/weir.schema.json' with { type: 'json' }
import { Fault } from '../faults.ts'
import { cleanLine } from '../output/clean.ts'
import { orgPath, type Session } from '../session/session.ts'
import { type Json, recordsOf, systemCodeOf } from '../values.ts'
import { action, type Context } from './context.ts'
import { planJson, printPlan, summaryOf } from './plan-output.ts'

interface ApplyOptions {
  readonly file: string
  readonly prune?: boolean
  readonly check?: boolean
  readonly yes?: boolean
  readonly secretsFile?: string
  readonly printSecrets?: boolean
}

export function addConfigurationCommands(program: Command) {
  action(
    program
      .command('apply')
      .description('make the organization what a file says: shows the plan, asks, and changes only what differs')
      .requiredOption('-f, --file <file>', 'the file, mostly weir.yaml; - reads standard input')
      .option('--check', 'only look: 3 if the file and the server differ')
      .option('--prune', 'also remove what is not in the file, of the sections that the file has')
      .option('--yes', 'do not ask')
      .option('--secrets-file <file>', 'where to keep secrets of what is made, readable by you alone')
      .option('--print-secrets', 'print secrets of what is made, once'),
    apply,
  )
  action(
    program
      .command('export')
      .description('write the organization as a file that, applied, changes nothing')
      .option('-o, --output <file>', 'where to; without it, standard output')
      .option('--force', 'overwrite the file')
      .option('--only <section...>', 'only some sections, such as budgets'),
    exportFile,
  )
  action(program.command('schema').description('print the JSON Schema of weir.yaml, for editors'), ({ terminal }) =>
    terminal.json(schema),
  )
}

async function apply(context: Context, options: ApplyOptions) {
  const { terminal, isJson } = context
  const configuration = readConfiguration(readFileText(options.file), options.file)
  const session = await context.session()
  const org = orgPath(session)
  // A check changes nothing, so it leaves the file of secrets alone too.
  const secrets = options.secretsFile === undefined || options.check ? undefined : new SecretsFile(options.secretsFile)
  try {
    if (secrets) await recoverSecrets(session.client, recoveryOf(context, session, secrets, configuration))
    const onProgress = (line: string) => terminal.progress(line)
    const plan = await makePlan(session.client, org, configuration, {
      prune: options.prune === true,
      ownKeyId: session.me.id,
      onProgress,
    })
    if (!isJson) printPlan(terminal, plan)
    if (options.check) return endCheck(context, plan)
    if (await isToBeDone(context, session, plan, options))
      await perform(context, session, plan, { secrets, printsSecrets: options.printSecrets === true })
    else if (isJson) terminal.json(planJson(plan))
  } finally {
    secrets?.close()
  }
}

const recoveryOf = ({ terminal }: Context, { me }: Session, secrets: SecretsFile, { sections }: Configuration) => ({
  secrets,
  caller: me.id,
  isWanted: (body: Json) =>
    [...recordsOf(sections['keys']), ...recordsOf(sections['webhooks'])].some((entry) =>
      isDeepStrictEqual(entry, body),
    ),
  onNote: (line: string) => terminal.note(cleanLine(line)),
})

function endCheck({ terminal, isJson, end }: Context, plan: Plan) {
  if (isJson) terminal.json(planJson(plan))
  if (plan.problems.length > 0) end(1)
  else if (plan.actions.length > 0) end(3)
}

/** Says whether there is anything to do that may be done; throws where it may not. */
async function isToBeDone(
  { terminal, confirm }: Context,
  { me }: Session,
  plan: Plan,
  options: ApplyOptions,
): Promise<boolean> {
  if (plan.problems.length > 0)
    throw new Fault(
      'finding',
      `nothing was changed:\n${plan.problems.map((problem) => `  ${cleanLine(problem)}`).join('\n')}`,
    )
  if (plan.actions.length === 0) return false
  const missing = missingRights(me, plan.actions)
  if (missing.length > 0)
    throw new Fault(
      'unauthorized',
      `nothing was changed, because your key may not do all of it:\n${missing.map((line) => `  ${cleanLine(line)}`).join('\n')}`,
    )
  if (makesSecrets(plan) && options.secretsFile === undefined && options.printSecrets !== true)
    throw new Fault(
      'usage',
      'nothing was changed: it would make secrets, which are shown once',
      'Add --secrets-file FILE or --print-secrets.',
    )
  if (options.yes === true || (options.file !== '-' && (await confirm('Do this?')))) return true
  terminal.note('Confirm it, or add --yes.')
  throw new Fault('usage', 'nothing was changed')
}

interface Secrets {
  readonly secrets: SecretsFile | undefined
  readonly printsSecrets: boolean
}

async function perform(
  { terminal, isJson, env, end }: Context,
  session: Session,
  plan: Plan,
  { secrets, printsSecrets }: Secrets,
) {
  const shown: { resource: string; secret: string }[] = []
  const applied = await applyPlan(session.client, orgPath(session), plan, {
    env,
    caller: session.me.id,
    secrets,
    onProgress: (line) => terminal.progress(line),
    onSecret: (resource, secret) => {
      if (!printsSecrets) return
      shown.push({ resource, secret })
      // At once: a secret that was made and not shown is lost if this ends early.
      if (!isJson) terminal.print(`secret of ${cleanLine(resource)}: ${cleanLine(secret)}`)
    },
  })
  for (const twin of applied.twins) terminal.note(`${cleanLine(twin)}: made twice at once; one was left`)
  for (const problem of applied.problems) terminal.fault(cleanLine(problem))
  if (applied.problems.length > 0) end(1)
  if (isJson)
    terminal.json({ ...planJson(plan), applied: applied.done.length, ...(printsSecrets && { secrets: shown }) })
  else terminal.print(`Done: ${summaryOf(plan)}.`)
}

async function exportFile(context: Context, options: { output?: string; force?: boolean; only?: readonly string[] }) {
  const { terminal, isJson } = context
  const unknown = (options.only ?? []).filter((name) => !kinds.some(({ section }) => section === name))
  if (unknown.length > 0) throw new Fault('usage', `there is no section ${unknown.join(', ')}`)
  const session = await context.session()
  const found = await exportConfiguration(session.client, orgPath(session), options.only ?? [], (line) =>
    terminal.progress(line),
  )
  for (const note of found.notes) terminal.note(cleanLine(note))
  if (isJson) return terminal.json({ version: 1, ...found.sections })
  if (options.output === undefined) return terminal.print(found.text.trimEnd())
  writeNew(options.output, found.text, options.force === true)
  terminal.note(`Written to ${cleanLine(options.output)}.`)
}

/** Writes a file that was not there, or one that may be overwritten; through no link, whoever made it. */
function writeNew(path: string, text: string, isForced: boolean) {
  const { O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_NOFOLLOW } = constants
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (isForced ? O_TRUNC : O_EXCL), 0o600)
  } catch (error) {
    const code = systemCodeOf(error) ?? ''
    throw new Fault(
      'usage',
      `${path} cannot be written: ${code}`,
      code === 'EEXIST' ? 'Add --force to overwrite it.' : undefined,
    )
  }
  try {
    writeSync(file, text)
  } finally {
    closeSync(file)
  }
}
