import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Renders the manifests of `deploy/kubernetes` with `kubectl kustomize`: `node scripts/kubernetes.ts`. They are committed, for review and for tests. */
const folder = fileURLToPath(new URL('../../../deploy/kubernetes/', import.meta.url))

export const renderings: Readonly<Record<string, string>> = {
  migrate: 'migrate',
  small: 'overlays/small',
  production: 'overlays/production',
}

export const renderedPath = (name: string) => `${folder}rendered/${name}.yaml`

/** What `kubectl kustomize` makes of a folder. */
export const render = (name: string) =>
  execFileSync('kubectl', ['kustomize', folder + renderings[name]!], { encoding: 'utf8' })

/** A checksum of everything that is rendered: it tells old renderings where there is no kubectl. */
export function sourcesChecksum(): string {
  const hash = createHash('sha256')
  for (const file of globSync('{base,migrate,components,overlays}/**/*.*', { cwd: folder }).toSorted())
    hash.update(`${file}\n`).update(readFileSync(folder + file))
  return hash.digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of Object.keys(renderings))
    writeFileSync(
      renderedPath(name),
      `# Rendered by packages/server/scripts/kubernetes.ts from sources with the checksum ${sourcesChecksum()}\n${render(name)}`,
    )
