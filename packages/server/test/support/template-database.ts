import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { appLogin, databaseUrl, services, servicesUp, setDiskWaits } from '../../scripts/private-services.ts'
import { systemClock } from '../../src/platform/infra/clock.ts'
import { createLog, type Log } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { openSql } from '../../src/platform/infra/sql.ts'
import { type Secret, secret } from '../../src/values/secret.ts'

/** Before all tests: the private services run, and a migrated template stands ready to be copied by each test file. */
export default async function prepareTemplate({
  provide,
}: {
  provide: (key: 'templateDatabase', value: string) => void
}) {
  servicesUp()
  await setDiskWaits(false)

  const name = `weir_template_${templateDigest()}`
  const admin = new pg.Client({ connectionString: services().postgres.url })
  await admin.connect()
  try {
    const lockId = 8_675_309_002
    await admin.query('select pg_advisory_lock($1)', [lockId])
    await dropLeftovers(admin, name)
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      const unfinished = `${name}_unfinished`
      await admin.query(`drop database if exists ${unfinished} with (force)`)
      await admin.query(`create database ${unfinished}`)
      const log = createLog({ level: 'warn', role: 'test' })
      const appUrl = secret(databaseUrl(unfinished, appLogin))
      await migrate({ ownerUrl: secret(databaseUrl(unfinished)), appUrl, log })
      await addPartitions(appUrl, log)
      await admin.query(`alter database ${unfinished} rename to ${name}`)
    }
  } finally {
    await admin.end()
  }
  provide('templateDatabase', name)
  return () => setDiskWaits(true)
}

declare module 'vitest' {
  export interface ProvidedContext {
    templateDatabase: string
  }
}

/** Creates the partitions of the next days, which takes a server longer than the rest of its start. One that starts later creates those that are missing. */
async function addPartitions(url: Secret, log: Log) {
  const { ensurePartitions } = await import('../../src/app.ts')
  const sql = openSql({ url, maxConnections: 1, applicationName: 'template', log })
  try {
    await ensurePartitions({ sql, clock: systemClock, log })
  } finally {
    await sql.close()
  }
}

/** A digest of all that a template is made from. */
function templateDigest(): string {
  const folder = new URL('../../migrations/', import.meta.url)
  const hash = createHash('sha256').update('with partitions')
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(new URL(file, folder)))
  return hash.digest('hex').slice(0, 12)
}

/** Databases that a killed run left behind, and templates of other migrations. */
async function dropLeftovers(admin: pg.Client, template: string) {
  const { rows } = await admin.query<{ datname: string }>(
    `select datname from pg_database d
      where (datname like 'weir\\_test\\_%' and not exists (select from pg_stat_activity a where a.datname = d.datname))
         or (datname like 'weir\\_template\\_%' and datname <> $1)`,
    [template],
  )
  for (const { datname } of rows)
    await admin.query(`drop database if exists ${pg.escapeIdentifier(datname)} with (force)`)
}
