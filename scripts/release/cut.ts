import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { surfaceFaults } from './check.ts'
import { type Surface, surfaceFiles } from './surface.ts'
import { readTree } from './tree.ts'

/** Freezes the public surface of the tree as `releases/<version>/`, or says why not. */
export async function cut(root: string, version: string): Promise<string[]> {
  const tree = readTree(root)
  if (!tree.ledger.some((entry) => entry.version === version)) return [`${version} is not in releases.json`]
  if (tree.releases.some((release) => release.version === version))
    return [`releases/${version} exists; a release is never cut again`]
  const faults = await surfaceFaults(tree)
  if (faults.length > 0 || !tree.openapi) return faults

  const surface: Surface = {
    openapi: tree.openapi,
    errors: tree.errors,
    deprecations: tree.deprecations,
    settings: tree.settings.map(({ variable }) => variable),
  }
  const folder = join(root, 'releases', version)
  mkdirSync(folder, { recursive: true })
  for (const [part, file] of Object.entries(surfaceFiles)) {
    writeFileSync(join(folder, file), `${JSON.stringify(surface[part as keyof Surface], undefined, 2)}\n`)
  }
  return []
}

if (import.meta.main) {
  const [version, ...rest] = process.argv.slice(2)
  const faults =
    version === undefined || rest.length > 0
      ? ['usage: node scripts/release/cut.ts <version>']
      : await cut(join(import.meta.dirname, '../..'), version)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
