import { setTimeout as sleep } from 'node:timers/promises'
import { makeWorkerUtils } from 'graphile-worker'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import type { Secret } from '../../values/secret.ts'
import { errorCode } from '../../values/thrown.ts'
import { workerLogger } from './jobs.ts'
import type { Log } from './log.ts'
import { migrationsFolder, migrationsTable } from './schema.ts'
import { scramVerifier } from './scram.ts'

/** Key of the advisory lock that serializes migrators of one database; any number that only this program uses. */
const lockId = 8_675_309_001

/**
 * Migrates the schema to the version of this program: our migrations all or none, then those of the job queue and the grants,
 * which are safe to repeat. Safe to run concurrently.
 */
export async function migrate(options: {
  ownerUrl: Secret
  appUrl: Secret
  log: Log
  folder?: URL
  /** True where organizations may move to another cell: a gate stands before all writes of their rows. */
  gatesOrganizations?: boolean
}): Promise<string[]> {
  const { log, folder = migrationsFolder, gatesOrganizations = false } = options
  const client = new pg.Client({
    connectionString: options.ownerUrl.reveal(),
    application_name: 'weir migrate',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockId])
    const applied = await untilTablesAreFree(log, () =>
      runner({
        dbClient: client,
        dir: folder.pathname,
        direction: 'up',
        migrationsTable,
        checkOrder: true,
        singleTransaction: true,
        noLock: true,
        logger: {
          debug: (message) => log.debug(message),
          info: (message) => log.debug(message),
          warn: (message) => log.warn(message),
          error: (message) => log.debug(message),
        },
      }),
    )
    if (gatesOrganizations) await untilTablesAreFree(log, () => client.query(gateQuery))
    await migrateJobQueue(options.ownerUrl, log)
    await client.query('select admit_application_role()')
    await client.query('select admit_backup_role()')
    await ensureApplicationLogin(client, options.appUrl, log)
    const names = applied.map(({ name }) => name)
    log.info({ applied: names }, names.length === 0 ? 'the schema is up to date' : 'the schema was migrated')
    return names
  } finally {
    await client.end()
  }
}

/** One implicit transaction. */
const gateQuery = `set local lock_timeout = '200ms'; call gate_tenant_tables()`

const lockNotAvailable = '55P03'
const lockAttempts = 60
const betweenAttemptsMs = 1_000

/**
 * Repeats migrations that did not get a lock in time. A migration that waits makes everybody wait who comes after it, so it waits briefly
 * and often.
 */
async function untilTablesAreFree<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (errorCode(error) !== lockNotAvailable || attempt === lockAttempts) throw error
      log.warn({ attempt, of: lockAttempts }, 'a table is in use; the migration will be tried again')
      await sleep(betweenAttemptsMs)
    }
  }
}

async function migrateJobQueue(ownerUrl: Secret, log: Log) {
  const utils = await makeWorkerUtils({ connectionString: ownerUrl.reveal(), logger: workerLogger(log) })
  try {
    await utils.migrate()
  } finally {
    await utils.release()
  }
}

/** Creates the application's login when it is missing, and grants it the role that holds the privileges. */
async function ensureApplicationLogin(client: pg.Client, appUrl: Secret, log: Log) {
  const { username, password } = new URL(appUrl.reveal())
  const name = decodeURIComponent(username)
  const quoted = pg.escapeIdentifier(name)
  const { rows } = await client.query<{ member: boolean }>(
    `select pg_has_role(oid, 'weir_app', 'member') as member from pg_roles where rolname = $1`,
    [name],
  )
  if (rows.length === 0) {
    // A verifier, not the password: statements end up in server logs.
    const verifier = pg.escapeLiteral(scramVerifier(decodeURIComponent(password)))
    const attributes = 'login nosuperuser nobypassrls nocreatedb nocreaterole'
    await client.query(`create role ${quoted} ${attributes} password ${verifier}`).catch(ignoreDuplicateRole)
    log.info({ login: name }, 'created the application login')
  }
  if (!rows[0]?.member) await client.query(`grant weir_app to ${quoted}`)
}

/** Ignores a duplicate role: roles belong to the whole cluster, and a migrator of another database may have been faster. */
function ignoreDuplicateRole(error: unknown) {
  const duplicates = ['42710', '23505']
  if (!duplicates.includes(errorCode(error) ?? '')) throw error
}
