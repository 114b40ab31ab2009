import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configurationFiles, pathsOfCommands } from '../../cli/scripts/configuration-schema.ts'
import { conformancePage } from '../../conformance/src/page.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { deprecations } from '../src/contract/deprecations/registry.ts'
import { manualLifecycle } from '../src/platform/infra/lifecycle.ts'
import { createLog } from '../src/platform/infra/log.ts'
import { migrate } from '../src/platform/infra/migrate.ts'
import { openPlatform } from '../src/platform/infra/platform.ts'
import { knownMigrations, migrationsFolder } from '../src/platform/infra/schema.ts'
import { secret } from '../src/values/secret.ts'
import { apiTypes } from './api-types.ts'
import { dashboard } from './dashboard.ts'
import { edgeExamples } from './edge-examples.ts'
import { configurationPage, deprecationsPage, errorsPage, eventsPage } from './generated-pages.ts'
import { chartFiles } from './helm-chart.ts'
import { catalogText, priceCatalog } from './price-catalog.ts'
import { priceSourcesPage } from './price-sources.ts'
import {
  appLogin,
  createDatabase,
  databaseUrl,
  dropDatabase,
  masterKeys,
  services,
  servicesUp,
} from './private-services.ts'
import { proofFiles } from './proof-page.ts'
import { pythonFaults, pythonTypes } from './python-types.ts'
import { readableJson } from './readable-json.ts'

/** Writes everything that follows from the code, or with `--check` says what no longer does. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Files with the types of the API, for the programs that speak to it, and the routes that each needs where it needs only some. */
const clientsOfTheApi: Readonly<Record<string, readonly string[] | undefined>> = {
  'packages/server/src/console/api/api-types.ts': undefined,
  'packages/gateway/src/weir/api-types.ts': ['/v1/runs', '/v1/runs/bulk', '/v1/runs/{run_id}/extend'],
  'packages/cli/src/api/api-types.ts': pathsOfCommands,
  'packages/sdk/src/api-types.ts': undefined,
}
const check = process.argv.includes('--check')
const database = `weir_generate_${process.pid}`
const log = createLog({ level: 'warn', role: 'generate' })

// Pages are made from the catalogue as it is on disk.
const catalogPath = 'packages/server/src/money/prices/catalog.json'
const catalogue = catalogText(await priceCatalog())
if (!check) writeFileSync(root + catalogPath, catalogue)

servicesUp()
await createDatabase(database, { fresh: true })
try {
  await migrate({ ownerUrl: secret(databaseUrl(database)), appUrl: secret(databaseUrl(database, appLogin)), log })
  const files: Record<string, string> = {
    // Before the program has run on it: a running one makes partitions, which bear today's date.
    'packages/server/schema.sql': schemaDump(),
    'packages/server/src/platform/infra/tables.ts': tableTypes(),
    'packages/server/migrations.sha256': migrationChecksums(),
    [catalogPath]: catalogue,
    'docs/price-sources.md': priceSourcesPage(),
    'docs/errors.md': errorsPage(),
    'docs/events.md': eventsPage(),
    'docs/deprecations.md': deprecationsPage(),
    'docs/configuration.md': configurationPage(),
    'docs/conformance.md': conformancePage(),
    'deploy/grafana/weir.json': dashboard(),
    ...proofFiles(),
    ...edgeExamples(),
    ...chartFiles(),
  }
  const document = await openApi()
  files['openapi.json'] = document
  for (const [path, routes] of Object.entries(clientsOfTheApi)) files[path] = await apiTypes(document, routes)
  Object.assign(files, configurationFiles(document))
  files['packages/sdk-python/src/weir/types.py'] = pythonTypes(document)
  files['packages/sdk-python/src/weir/faults.py'] = pythonFaults(document)
  const stale = Object.entries(files).filter(
    ([path, text]) => !existsSync(root + path) || readFileSync(root + path, 'utf8') !== text,
  )
  if (!check) for (const [path, text] of stale) writeFileSync(root + path, text)
  for (const [path] of stale) console.log(check ? `out of date: ${path} (pnpm generate)` : `wrote ${path}`)
  process.exitCode = check && stale.length > 0 ? 1 : 0
} finally {
  await dropDatabase(database)
}

async function openApi(): Promise<string> {
  const { config } = readConfig({
    SVC_DATABASE_URL: databaseUrl(database, appLogin),
    SVC_REDIS_URL: services().redis.url,
    SVC_MASTER_KEYS: masterKeys(),
    SVC_PUBLIC_URL: 'https://weir.example.com',
  })
  const platform = await openPlatform(config, 'api', log)
  const { app } = await buildApp(platform, manualLifecycle, deprecations)
  try {
    const answer = await app.inject('/v1/openapi.json')
    return `${readableJson(answer.json())}\n`
  } finally {
    await app.close()
    await platform.close()
  }
}

/** Append only: what a database somewhere has applied cannot be edited afterwards. */
function migrationChecksums(): string {
  const path = fileURLToPath(new URL('../migrations.sha256', import.meta.url))
  const landed = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  const now = knownMigrations().map((name) => {
    const bytes = readFileSync(new URL(`${name}.sql`, migrationsFolder))
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}.sql`
  })
  const edited = landed.filter((line) => !now.includes(line))
  if (edited.length > 0)
    throw new Error(`landed migrations were edited or removed; write a new one instead: ${edited.join(', ')}`)
  return `${now.join('\n')}\n`
}

/** The schema as people read it: without what differs between versions of the dump program. */
function schemaDump(): string {
  const dump = execFileSync('pg_dump', ['--schema-only', '--no-owner', '--schema=public', databaseUrl(database)], {
    encoding: 'utf8',
  })
  const lines = dump.split('\n').filter((line) => !/^(--|SET |SELECT pg_catalog|\\(un)?restrict)/.test(line))
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

function tableTypes(): string {
  const folder = mkdtempSync(`${tmpdir()}/weir-`)
  try {
    const out = `${folder}/tables.ts`
    const command = fileURLToPath(new URL('../node_modules/.bin/kysely-codegen', import.meta.url))
    execFileSync(
      command,
      [
        '--dialect',
        'postgres',
        '--url',
        databaseUrl(database),
        '--default-schema',
        'public',
        '--include-pattern',
        'public.*',
        '--out-file',
        out,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    // The connection parses int8 to BigInt; the generator knows the driver's own default only.
    return readFileSync(out, 'utf8').replace('Int8 = ColumnType<string,', 'Int8 = ColumnType<bigint,')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
