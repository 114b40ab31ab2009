import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './checkout.ts'

/** Earlier versions of this program, from the history of the project: a clone without it has none. */

const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim()

/** The commit that froze a release. */
export function commitOfRelease(version: string): string {
  const commit = git('log', '--diff-filter=A', '--format=%H', '--', `releases/${version}/openapi.json`)
    .split('\n')
    .at(-1)
  if (commit === undefined || commit === '')
    throw new Error(`The history of this clone does not reach back to ${version}: fetch all of it.`)
  return commit
}

const migrationsAt = (commit: string) =>
  git('ls-tree', '--name-only', commit, 'packages/server/migrations/')
    .split('\n')
    .map((path) => path.slice(path.lastIndexOf('/') + 1, -'.sql'.length))

/** The newest commit with the migrations up to one, and no later; undefined where the history has none. */
export function commitBefore(migration: string): string | undefined {
  const commits = git('rev-list', '--topo-order', 'HEAD', '--', 'packages/server/migrations').split('\n')
  return commits.find((commit) => (migrationsAt(commit).at(-1) ?? '') < migration)
}

/** The files of a commit, with the packages that it names: those of today may be others. */
export function checkOutCommit(commit: string): { readonly checkout: string; readonly program: string } {
  const checkout = mkdtempSync(join(tmpdir(), 'weir-earlier-'))
  execFileSync('bash', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, checkout], { cwd: root })
  const options = ['--frozen-lockfile', '--prefer-offline', '--ignore-scripts', '--reporter=silent']
  execFileSync('pnpm', ['install', ...options], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
  return { checkout, program: join(checkout, 'packages/server/src/main.ts') }
}
