import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import { readFileText } from '../configuration/document.ts'
import { Fault } from '../faults.ts'
import { cleanLine } from '../output/clean.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Session } from '../session/session.ts'
import { action, type Context } from './context.ts'

type PriceImport = components['schemas']['PriceImport']

interface ImportOptions {
  readonly provider?: readonly string[]
  readonly only?: readonly string[]
  readonly format?: string
  readonly replace?: boolean
  readonly withFree?: boolean
  readonly skipRefused?: boolean
  readonly yes?: boolean
}

export function addPriceCommands(program: Command) {
  const prices = program.command('prices').description('compare and import lists of prices')
  const withOptions = (command: Command) =>
    command
      .argument('<file>', 'a file of genai-prices, LiteLLM or models.dev; - reads standard input')
      .option('--provider <name...>', 'only models of a provider')
      .option('--only <pattern...>', 'only models with such a name, such as claude-*')
      .option('--format <name>', 'genai-prices, litellm or models.dev, where the shape is not to decide')
      .option('--replace', 'also remove entries that the file does not have')
      .option('--with-free', 'also take what costs nothing')
      .option('--skip-refused', 'leave out models with invalid prices')
  action(withOptions(prices.command('diff').description('show how a list of prices differs; 3 if it does')), diff)
  action(
    withOptions(prices.command('import').description('show how a list of prices differs, and set it')).option(
      '--yes',
      'do not ask',
    ),
    importPrices,
  )
}

/** The prices of an organization for its keys; those of the installation for operators. */
const importPath = ({ orgId }: Session) =>
  orgId === undefined ? '/v1/admin/prices/import' : `/v1/orgs/${orgId}/prices/import`

function bodyOf(file: string, options: ImportOptions) {
  const { provider, only, format, replace, withFree, skipRefused } = options
  return {
    file,
    ...(provider && { providers: provider }),
    ...(only && { only }),
    ...(format !== undefined && { format }),
    ...(replace && { replace }),
    ...(withFree && { with_free: withFree }),
    ...(skipRefused && { skip_refused: skipRefused }),
  }
}

async function compare(session: Session, body: object): Promise<PriceImport> {
  const { json } = await session.client.send('POST', importPath(session), { body: { ...body, dry_run: true } })
  return json as PriceImport
}

async function diff({ terminal, isJson, session, end }: Context, options: ImportOptions, path = '') {
  const body = bodyOf(readFileText(path), options)
  const found = await compare(await session(), body)
  if (isJson) terminal.json(found)
  else print(terminal, found)
  if (found.changes.length > 0) end(3)
}

async function importPrices({ terminal, isJson, session, confirm }: Context, options: ImportOptions, path = '') {
  const body = bodyOf(readFileText(path), options)
  const opened = await session()
  const found = await compare(opened, body)
  if (!isJson) print(terminal, found)
  if (found.changes.length === 0) return isJson ? terminal.json(found) : undefined
  if (options.yes !== true && !(await confirm(`Set these ${found.changes.length} prices?`)))
    throw new Fault('usage', 'nothing was set', 'Confirm it, or add --yes.')
  // The digest: it is refused if it would do anything else than was shown.
  const { json } = await opened.client.send('POST', importPath(opened), { body: { ...body, digest: found.digest } })
  if (isJson) return terminal.json(json)
  terminal.print('Set. It binds the next decision.')
}

const toneOf = (change: string) => (/remov/.test(change) ? 'warning' : /add/.test(change) ? 'good' : 'strong')

function print(terminal: Terminal, found: PriceImport) {
  for (const { change, model, provider, terms } of found.changes) {
    terminal.print(
      `${terminal.paint(cleanLine(change), toneOf(change))} ${cleanLine([provider, model].filter(Boolean).join('/'))}`,
    )
    for (const { term, before, after } of terms)
      terminal.print(`  ${cleanLine(`${term}: ${before ?? '-'} → ${after ?? '-'}`)}`)
  }
  for (const { model, message } of found.refused) terminal.note(`refused ${cleanLine(`${model}: ${message}`)}`)
  terminal.print(
    `${found.changes.length} to change, ${found.unchanged} unchanged, ${found.kept} kept that the file does not have.`,
  )
}
