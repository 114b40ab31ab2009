import pg from 'pg'
import type { Config } from '../config.ts'
import { oldestAfter, problemOf, readSchemaState } from '../platform/infra/schema.ts'

/**
 * Prints what `migrate` would change, and changes nothing; exits with 1 when this version cannot run on the schema as it is. Needs the
 * application's login alone, so it can stand before a rollout.
 */
export async function runSchemaCheck({ databaseUrl }: Config) {
  const pool = new pg.Pool({ connectionString: databaseUrl.reveal(), max: 1, application_name: 'weir migrate --check' })
  try {
    const state = await readSchemaState(pool)
    const { applied, missing, newer } = state
    const current = applied.at(-1) ?? null
    const pending = missing.map((migration) => ({ migration, min_compatible: oldestAfter(migration) }))
    const problem = await problemOf(pool, state)
    console.log(
      JSON.stringify({
        current,
        pending,
        // Processes of the version that made the schema may be restarted while the new one is rolled out, and after a rollback.
        old_version_may_restart:
          current !== null && pending.every(({ min_compatible: least }) => least !== null && least <= current),
        newer,
        problem,
      }),
    )
    if (problem !== null) process.exitCode = 1
  } finally {
    await pool.end()
  }
}
