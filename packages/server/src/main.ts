import { type Config, ConfigurationError, readConfig, readMasterKeys } from './config.ts'
import { createLog, type Log } from './infra/log.ts'
import { SchemaMismatch } from './infra/schema-mismatch.ts'

const usage = `Usage: main.ts api | worker | migrate | verify | create-operator-key NAME | verify-audit-export FILE [HEADS]

  api       serves /v1, the documentation and the probes
  worker    runs background jobs
  migrate   brings the database to the schema of this version, then ends
  verify    checks that journal, balances and open holds agree to the nano-dollar, then ends (with 1 if not)
  create-operator-key NAME             mints a key for /v1/admin and prints it, once
  verify-audit-export FILE [HEADS]     checks an NDJSON audit export, and the heads that were logged, without a database

Configuration is read from the environment; docs/configuration.md lists every variable.`

const exitUsage = 64
const exitConfiguration = 78

/** Each role loads only what it runs on. */
const roles: Record<string, (config: Config, log: Log, args: string[]) => Promise<void>> = {
  api: async (config, log) => {
    const [{ runApi }, { openPlatform }] = await Promise.all([import('./api.ts'), import('./infra/platform.ts')])
    await runApi(await openPlatform(config, 'api', log))
  },
  worker: async (config, log) => {
    const [{ runWorker }, { openPlatform }] = await Promise.all([import('./worker.ts'), import('./infra/platform.ts')])
    await runWorker(await openPlatform(config, 'worker', log))
  },
  migrate: async ({ migrateDatabaseUrl, databaseUrl }, log) => {
    if (!migrateDatabaseUrl) throw new ConfigurationError(['SVC_MIGRATE_DATABASE_URL is required by migrate'])
    const { migrate } = await import('./infra/migrate.ts')
    await migrate({ ownerUrl: migrateDatabaseUrl, appUrl: databaseUrl, log })
  },
  verify: async (config, log) => {
    const { verifyBooks } = await import('./ledger-verification.ts')
    await verifyBooks(config, log)
  },
  'create-operator-key': async (config, log, [name]) => {
    const { createOperatorKey } = await import('./operators.ts')
    await createOperatorKey(config, log, name!)
  },
}

/** How many arguments a command takes, whose answer goes to standard output; roles take none. */
const argumentsOf: Record<string, number> = { 'create-operator-key': 1, verify: 0 }

async function main([name, ...rest]: string[]) {
  const role = name === undefined ? undefined : roles[name]
  if (name === 'verify-audit-export' && rest.length > 0 && rest.length <= 2) return verifyOffline(rest)
  if (name === undefined || role === undefined || rest.length !== (argumentsOf[name] ?? 0))
    return exit(exitUsage, usage)

  try {
    const { config, warnings } = readConfig(process.env)
    // A command's answer goes to standard output, so its log must not.
    const log = createLog({ level: config.logLevel, role: name }, name in argumentsOf ? process.stderr : undefined)
    for (const warning of warnings) log.warn(warning)
    const fail = (error: unknown) => {
      if (error instanceof ConfigurationError) throw error
      // A mismatch is explained by its message; a stack would only hide it.
      if (error instanceof SchemaMismatch) log.fatal(error.message)
      else log.fatal({ error }, 'the program cannot go on')
      process.exit(1)
    }
    process.on('unhandledRejection', fail)
    process.on('uncaughtException', fail)
    await role(config, log, rest).catch(fail)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    exit(exitConfiguration, error.message)
  }
}

async function verifyOffline(paths: string[]) {
  try {
    const { verifyAuditExport } = await import('./audit-export.ts')
    await verifyAuditExport(readMasterKeys(process.env), paths)
  } catch (error) {
    exit(error instanceof ConfigurationError ? exitConfiguration : 1, (error as Error).message)
  }
}

function exit(code: number, message: string) {
  console.error(message)
  process.exit(code)
}

await main(process.argv.slice(2))
