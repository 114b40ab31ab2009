import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'

interface Services {
  readonly postgres: { readonly host: string; readonly port: number; readonly password: string; readonly url: string }
  readonly redis: { readonly host: string; readonly port: number; readonly url: string }
}

/** The private servers of this checkout, as `scripts/services` started them. */
export const services = (): Services =>
  JSON.parse(readFileSync(new URL('../../../.weir/services.json', import.meta.url), 'utf8')) as Services

/** The application's login in tests and in `pnpm dev`; its password is only as secret as the private server. */
export const appLogin = { name: 'weir', password: 'weir' }

/** The master key of this checkout's own databases: made once, kept beside the state of its services. */
export function masterKeys(): string {
  const path = new URL('../../../.weir/master-keys', import.meta.url)
  if (!existsSync(path)) writeFileSync(path, `dev:${randomBytes(32).toString('base64')}`, { mode: 0o600 })
  return readFileSync(path, 'utf8')
}

export function databaseUrl(database: string, login?: { name: string; password: string }): string {
  const url = new URL(services().postgres.url)
  url.pathname = `/${database}`
  if (login) {
    url.username = login.name
    url.password = login.password
  }
  return url.href
}

const command = new URL('../../../scripts/services', import.meta.url).pathname

/** Starts them if they do not run; says whether it did. */
export function servicesUp(): { started: boolean } {
  const running = spawnSync(command, ['status'], { stdio: 'ignore' }).status === 0
  if (!running) execFileSync(command, ['up'], { stdio: ['ignore', 'ignore', 'inherit'] })
  return { started: !running }
}

export const servicesDown = () => execFileSync(command, ['down'], { stdio: ['ignore', 'ignore', 'inherit'] })

/** A database for people to try things in: kept between runs unless a fresh one is asked for. */
export async function createDatabase(name: string, { fresh }: { fresh: boolean }) {
  if (fresh) await dropDatabase(name)
  await asAdmin(async (admin) => {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await admin.query(`create database ${pg.escapeIdentifier(name)}`)
  })
}

export async function dropDatabase(name: string) {
  await asAdmin((admin) => admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`))
}

/**
 * Sets whether the private server waits for its disk. Tests do without: what they write survives the death of any process, and no test ends
 * the machine. Benchmarks measure with it.
 */
export async function setDiskWaits(waits: boolean) {
  await asAdmin(async (admin) => {
    await admin.query(waits ? 'alter system reset fsync' : 'alter system set fsync = off')
    await admin.query('select pg_reload_conf()')
  })
}

/** Work that needs the private server's superuser. */
export async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: services().postgres.url })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
