import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { lastOf, one } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import { SchemaMismatch } from './schema-mismatch.ts'

export const migrationsFolder = new URL('../../../migrations/', import.meta.url)
export const migrationsTable = 'schema_migrations'

export const knownMigrations = (): string[] =>
  readdirSync(migrationsFolder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
    .sort()

/** The migrations of a database beside those of this program: `missing` are not applied yet, `newer` are of a later version. */
export interface SchemaState {
  readonly applied: readonly string[]
  readonly missing: readonly string[]
  readonly newer: readonly string[]
}

/** Throws on a schema that this program cannot run on; returns what a newer version has added to it. */
export async function assertSchema(pool: pg.Pool): Promise<readonly string[]> {
  const state = await readSchemaState(pool)
  const problem = await problemOf(pool, state)
  if (problem !== null) throw new SchemaMismatch(problem)
  return state.newer
}

/** Returns why this program cannot run on a schema: it is half-migrated, or a newer version has taken away what this one needs; null where it can. */
export async function problemOf(pool: pg.Pool, { missing, newer }: SchemaState): Promise<string | null> {
  if (missing.length > 0) return `The database lacks ${missing.join(', ')}: run the migrate role of this version first.`
  const breaking = await breakingOf(pool, newer)
  if (breaking.length === 0) return null
  return `The database has ${breaking.join(', ')}, which this version of the program does not know and cannot run with: a newer version migrated it. Start that version.`
}

export async function readSchemaState(pool: pg.Pool): Promise<SchemaState> {
  const known = knownMigrations()
  const applied = await appliedMigrations(pool)
  return {
    applied,
    missing: known.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !known.includes(name)),
  }
}

/** Migrations that a program does not have and that do not say that it may run after them. */
async function breakingOf(pool: pg.Pool, newer: readonly string[]): Promise<readonly string[]> {
  if (newer.length === 0) return []
  const { rows } = await pool.query<{ migration: string }>(
    'select migration from schema_compatibility where migration = any($1) and min_compatible collate "C" <= $2',
    [newer, lastOf(knownMigrations())],
  )
  const compatible = new Set(rows.map(({ migration }) => migration))
  return newer.filter((name) => !compatible.has(name))
}

async function appliedMigrations(pool: pg.Pool): Promise<string[]> {
  try {
    const { rows } = await pool.query<{ name: string }>(`select name from ${migrationsTable} order by id`)
    return rows.map(({ name }) => name)
  } catch (error) {
    const undefinedTable = '42P01'
    const insufficientPrivilege = '42501'
    const code = errorCode(error)
    if (code === undefinedTable || code === insufficientPrivilege) return []
    throw error
  }
}

/** Throws when the program is connected as a superuser or table owner, whom row-level security does not bind. */
export async function assertBoundRole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; unbound: boolean; owned: bigint }>(`
    select rolname as name, rolsuper or rolbypassrls as unbound,
           (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where pg_has_role(r.oid, c.relowner, 'member') and n.nspname in ('public', 'graphile_worker')) as owned
      from pg_roles r where rolname = current_user`)
  const role = one(rows)
  if (role.unbound || role.owned > 0n) {
    throw new SchemaMismatch(
      `SVC_DATABASE_URL connects as "${role.name}", which ${role.unbound ? 'bypasses row-level security' : 'owns tables'}: ` +
        'the program must connect as a role that owns nothing. The migrate role of the program creates one.',
    )
  }
}

/** The oldest program that a migration says may run after it; null where it says nothing. */
export function oldestAfter(migration: string): string | null {
  const text = readFileSync(new URL(`${migration}.sql`, migrationsFolder), 'utf8')
  const row = /insert into schema_compatibility \(migration, min_compatible\)\s+values \('(\w+)', '(\w+)'\);/.exec(text)
  return row?.[1] === migration ? (row[2] ?? null) : null
}
