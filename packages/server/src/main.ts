import { parseArgs } from 'node:util'
import { readMoveArguments } from './commands/move-arguments.ts'
import type { OperatorCommand } from './commands/operator-commands.ts'
import { type Config, ConfigurationError, readConfig, readMasterKeys } from './config.ts'
import { CommandRefused } from './platform/infra/command-refused.ts'
import { createLog, type Log } from './platform/infra/log.ts'
import { AlteredSession } from './platform/infra/outage.ts'
import { SchemaMismatch } from './platform/infra/schema-mismatch.ts'
import { errorOf } from './values/thrown.ts'

const usage = `Usage: main.ts api | worker | migrate | verify | COMMAND

  api       serves /v1, the documentation and the probes
  worker    runs background jobs
  migrate   migrates the database to the schema of this version, then exits; with --check only prints what it would change, and exits with 1
            when this version cannot run on the schema as it is
  verify    checks that journal, balances and open holds agree to the nano-dollar, then exits (with 1 if not)

  rekey [--report | --revoke-unused-since=DATE]          re-encrypts what depends on old master keys with the newest one, and reports the
                                                         rest; or only reports it; or revokes keys that depend on an old one and were not
                                                         used since that day (2026-12-31)
  create-operator-key NAME [--expires-at TIME]           creates a key for /v1/admin and prints it once
  list-operator-keys                                     prints all of them without their secrets
  rotate-operator-key KEY_ID [--overlap-seconds N]       creates the successor of a key and prints it once
  revoke-operator-key KEY_ID [--descendants] [--force]   revokes a key and its support grants, with --descendants also the keys that it has
                                                         created or rotated; the last one only with --force
  reset-operator-ip-allow-list                           accepts operators from every address again
  verify-audit-export FILE [HEADS]                       verifies an NDJSON audit export, and the logged heads, without a database
  orgs move ORG --to CELL [--keep-days N] [--json]       moves an organization to another cell, or goes on with that; docs/regions.md says how
  orgs move ORG --cancel                                 gives up a move that is not completed: the organization goes on where it is
  orgs moves [--json]                                    prints the organizations that have left, arrive or have arrived
  orgs purge ORG [--now]                                 removes what an organization has left behind, as the owner of the schema
  record-restore TIME                                    records in every audit chain that the database was restored to a moment, so that
                                                         heads that were logged after it are no sign of tampering
  prices import FILE [--url URL] [--apply] …             compares a list of prices (genai-prices, LiteLLM, models.dev) with those in effect,
                                                         and sets them for every organization; docs/price-imports.md has all options
  edge haproxy|envoy --local URL [--local URL]…          prints the configuration of a proxy in front of this cell, made from SVC_CELL,
       [--listen ADDRESS:PORT] [--certificate FILE]      SVC_REGION and SVC_CELLS; docs/regions.md has all options
       [--ca-file FILE] [--proxy-protocol]

Configuration is read from the environment; docs/configuration.md lists every variable.`

const exitUsage = 64
const exitConfiguration = 78

/** Roles of the program. Each loads only the modules that it needs. */
const roles: Record<string, Work> = {
  api: async (config, log) => {
    const [{ runApi }, { openPlatform }] = await Promise.all([
      import('./api.ts'),
      import('./platform/infra/platform.ts'),
    ])
    await runApi(await openPlatform(config, 'api', log), process.env)
  },
  worker: async (config, log) => {
    const [{ runWorker }, { openPlatform }] = await Promise.all([
      import('./worker.ts'),
      import('./platform/infra/platform.ts'),
    ])
    await runWorker(await openPlatform(config, 'worker', log))
  },
  migrate: async ({ migrateDatabaseUrl, databaseUrl, cells }, log) => {
    if (!migrateDatabaseUrl) throw new ConfigurationError(['SVC_MIGRATE_DATABASE_URL is required by migrate'])
    const { migrate } = await import('./platform/infra/migrate.ts')
    await migrate({ ownerUrl: migrateDatabaseUrl, appUrl: databaseUrl, log, gatesOrganizations: cells.length > 0 })
  },
  verify: async (config, log) => {
    const { runLedgerVerification } = await import('./commands/ledger-verification.ts')
    await runLedgerVerification(config, log)
  },
}

const checkSchema: Work = async (config) => {
  const { runSchemaCheck } = await import('./commands/schema-check.ts')
  await runSchemaCheck(config)
}

const recordRestore =
  (moment: string): Work =>
  async (config, log) => {
    const { runRestoreRecord } = await import('./commands/restore-record.ts')
    await runRestoreRecord(config, log, moment)
  }

/** Arguments and flags of the commands that print a result to standard output; roles take none. */
const operatorCommands: Record<OperatorCommand, { arguments: number; flags: Record<string, 'string' | 'boolean'> }> = {
  'create-operator-key': { arguments: 1, flags: { 'expires-at': 'string' } },
  'list-operator-keys': { arguments: 0, flags: {} },
  'rotate-operator-key': { arguments: 1, flags: { 'overlap-seconds': 'string' } },
  'revoke-operator-key': { arguments: 1, flags: { descendants: 'boolean', force: 'boolean' } },
  'reset-operator-ip-allow-list': { arguments: 0, flags: {} },
}
const isOperatorCommand = (name: string): name is OperatorCommand => Object.hasOwn(operatorCommands, name)

type Work = (config: Config, log: Log) => Promise<void>

const rekeyOption = /^--(report|revoke-unused-since=\d{4}-\d{2}-\d{2})$/

function rekeyWork([option, ...more]: string[]): Work | undefined {
  if (more.length > 0 || (option !== undefined && !rekeyOption.test(option))) return undefined
  return async (config, log) => {
    const { runRekey } = await import('./commands/rekey.ts')
    await runRekey(config, log, option)
  }
}

function orgsWork(rest: string[]): Work | undefined {
  const given = readMoveArguments(rest)
  return (
    given &&
    (async (config, log) => {
      const { runMoveCommand } = await import('./commands/org-moves.ts')
      await runMoveCommand(config, log, given)
    })
  )
}

/** Returns the work that a command line names; undefined when it cannot be understood. */
function resolveWork(name: string, rest: string[]): Work | undefined {
  const role = roles[name]
  if (name === 'migrate' && rest.length === 1 && rest[0] === '--check') return checkSchema
  if (role) return rest.length === 0 ? role : undefined
  if (name === 'rekey') return rekeyWork(rest)
  if (name === 'orgs') return orgsWork(rest)
  if (name === 'record-restore') return rest.length === 1 ? recordRestore(rest[0] ?? '') : undefined
  if (!isOperatorCommand(name)) return undefined
  const parsed = parseArguments(operatorCommands[name], rest)
  return (
    parsed &&
    (async (config, log) => {
      const { runOperatorCommand } = await import('./commands/operator-commands.ts')
      await runOperatorCommand(config, log, name, parsed.positionals[0] ?? '', parsed.values)
    })
  )
}

function parseArguments({ arguments: count, flags }: (typeof operatorCommands)[OperatorCommand], args: string[]) {
  const options = Object.fromEntries(Object.entries(flags).map(([flag, type]) => [flag, { type }]))
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true })
    return parsed.positionals.length === count ? parsed : undefined
  } catch {
    return undefined
  }
}

async function main([name, ...rest]: string[]) {
  if (name === 'verify-audit-export' && rest.length > 0 && rest.length <= 2) return verifyOffline(rest)
  if (name === 'prices' && rest[0] === 'import') return importPrices(rest.slice(1))
  if (name === 'edge') return describeEdge(rest)
  const work = name === undefined ? undefined : resolveWork(name, rest)
  if (name === undefined || work === undefined) return exit(exitUsage, usage)

  try {
    const { config, warnings } = readConfig(process.env)
    // A command prints its result to standard output, so its log goes elsewhere.
    const log = createLog(
      { level: config.logLevel, role: name },
      name === 'verify' ||
        name === 'rekey' ||
        name === 'record-restore' ||
        work === checkSchema ||
        isOperatorCommand(name)
        ? process.stderr
        : undefined,
    )
    for (const warning of warnings) log.warn(warning)
    const fail = (error: unknown) => {
      if (error instanceof ConfigurationError) throw error
      // The message explains the mismatch; a stack trace would only hide it.
      const isExplained = [SchemaMismatch, AlteredSession, CommandRefused].some((kind) => error instanceof kind)
      if (isExplained) log.fatal(errorOf(error).message)
      else log.fatal({ error }, 'the program cannot continue')
      process.exit(1)
    }
    process.on('unhandledRejection', fail)
    process.on('uncaughtException', fail)
    await work(config, log).catch(fail)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    exit(exitConfiguration, error.message)
  }
}

/** Runs against a server, so it needs no configuration of its own. */
async function importPrices(args: string[]) {
  const command = await import('./commands/price-import.ts')
  const given = command.readImportArguments(args, process.env)
  if (!given) return exit(exitUsage, usage)
  try {
    await command.importPrices(given)
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error
    // Not at once: what was printed may still be on its way through a pipe.
    console.error(error.message)
    process.exitCode = 1
  }
}

/** Needs no database: a proxy stands where there is none. */
async function describeEdge(args: string[]) {
  const command = await import('./commands/edge/edge.ts')
  const given = command.readEdgeArguments(args)
  if (!given) return exit(exitUsage, usage)
  try {
    command.printEdge(given, process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    exit(exitConfiguration, error.message)
  }
}

async function verifyOffline(paths: string[]) {
  try {
    const { verifyAuditExport } = await import('./commands/audit-export.ts')
    await verifyAuditExport(readMasterKeys(process.env), paths)
  } catch (error) {
    exit(error instanceof ConfigurationError ? exitConfiguration : 1, errorOf(error).message)
  }
}

function exit(code: number, message: string) {
  console.error(message)
  process.exit(code)
}

await main(process.argv.slice(2))
