import { join } from 'node:path'
import { noticeFaults, withdrawalFaults } from './announcements.ts'
import { catalogFaults } from './catalog.ts'
import { changelogFaults } from './changelog.ts'
import { freezeFaults, stabilityFaults } from './freeze.ts'
import { historyFaults } from './history.ts'
import { sequenceFaults, shapeFaults, versionFaults } from './ledger.ts'
import { settingFaults } from './settings.ts'
import { readTree, type Tree } from './tree.ts'

/** Every fault of the tree against the newest release and the ledger. */
export async function releaseFaults(tree: Tree): Promise<string[]> {
  return tree.releases.length === 0
    ? ['releases/ has no release yet', ...(await surfaceFaults(tree))]
    : surfaceFaults(tree)
}

/** The same, for a tree that may be about to have its first release. */
export async function surfaceFaults(tree: Tree): Promise<string[]> {
  const { ledger, releases, settings } = tree
  const unsound = shapeFaults(ledger)
  if (unsound.length > 0) return unsound
  const newest = releases.at(-1)
  return [
    ...(tree.openapi
      ? await (newest ? freezeFaults(newest.openapi, tree.openapi) : stabilityFaults(tree.openapi))
      : ['openapi.json is missing']),
    ...(newest ? catalogFaults(newest.errors, tree.errors) : []),
    ...(newest ? withdrawalFaults(newest.deprecations, tree.deprecations, ledger) : []),
    ...noticeFaults(tree.deprecations),
    ...sequenceFaults(ledger),
    ...historyFaults(ledger, releases),
    ...settingFaults(ledger, settings, tree.deprecations, newest),
    ...versionFaults(ledger, tree.written),
    ...changelogFaults(tree.changelog, tree.deprecations, ledger),
  ]
}

if (import.meta.main) {
  const faults = await releaseFaults(readTree(join(import.meta.dirname, '../..')))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
