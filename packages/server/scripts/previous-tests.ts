import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { knownMigrations, migrationsFolder, oldestAfter } from '../src/platform/infra/schema.ts'
import { lastOf, present } from '../src/values/present.ts'
import { removeCheckout } from '../test/support/checkout.ts'
import { checkOutCommit, commitBefore } from '../test/support/earlier-version.ts'

/**
 * The tests of the version before this one, on the schema of this one: `node scripts/previous-tests.ts [FILE…]`, all of them by default. The
 * version before is the newest commit without the newest migration. `--add FILE` puts another migration on top, to see that one which takes
 * away what that version needs is found; `--without NAME` leaves a test out that changes what the schema keeps to itself.
 */
const { values, positionals } = parseArgs({
  options: { add: { type: 'string' }, without: { type: 'string' } },
  allowPositionals: true,
})
const newest = lastOf(knownMigrations())
const commit = present(commitBefore(newest))
const { checkout } = checkOutCommit(commit)
const migrations = mkdtempSync(join(tmpdir(), 'weir-migrations-'))
try {
  cpSync(migrationsFolder, migrations, { recursive: true })
  if (values.add !== undefined) cpSync(values.add, join(migrations, '9999_added.sql'))
  const oldest = oldestAfter(newest) ?? 'none'
  console.log(`tests of ${commit.slice(0, 12)} on the schema of ${newest}, which ${oldest} and later may run on`)
  // Its own tests migrate to its own schema; these migrate to ours.
  const template = join(checkout, 'packages/server/test/support/template-database.ts')
  const text = readFileSync(template, 'utf8')
  const migrated = text.replace(
    'appUrl, log })',
    `appUrl, log, folder: new URL(${JSON.stringify(`file://${migrations}/`)}) })`,
  )
  if (migrated === text) throw new Error(`${template} migrates in another way than this script expects`)
  writeFileSync(template, migrated)
  execFileSync('scripts/services', ['up'], { cwd: checkout, stdio: 'inherit' })
  const tests = values.without === undefined ? [] : ['-t', `^(?!.*(${values.without}))`]
  const run = spawnSync('pnpm', ['vitest', 'run', ...positionals, ...tests], { cwd: checkout, stdio: 'inherit' })
  process.exitCode = run.status ?? 1
} finally {
  removeCheckout(checkout)
  rmSync(migrations, { recursive: true, force: true })
}
