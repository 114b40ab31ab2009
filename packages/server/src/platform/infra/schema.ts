import { readdirSync } from 'node:fs'
import type pg from 'pg'
import { one } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import { SchemaMismatch } from './schema-mismatch.ts'

export const migrationsFolder = new URL('../../../migrations/', import.meta.url)
export const migrationsTable = 'schema_migrations'

export const knownMigrations = (): string[] =>
  readdirSync(migrationsFolder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
    .sort()

/** Throws on a schema that this program was not written for: half-migrated, or migrated by a newer version. */
export async function assertSchema(pool: pg.Pool): Promise<void> {
  const known = knownMigrations()
  const applied = await appliedMigrations(pool)
  const missing = known.filter((name) => !applied.includes(name))
  if (missing.length > 0) {
    throw new SchemaMismatch(`The database lacks ${missing.join(', ')}: run the migrate role of this version first.`)
  }
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new SchemaMismatch(
      `The database has ${unknown.join(', ')}, which this version of the program does not know: a newer version migrated it. Start that version.`,
    )
  }
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
