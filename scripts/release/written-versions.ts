import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Places where the version of the program is written: files, and what stands around it. */
const places: readonly (readonly [files: string, around: RegExp])[] = [
  ['packages/*/package.json', /^ {2}"version": "(.*)",$/gm],
  ['packages/sdk-python/pyproject.toml', /^version = "(.*)"$/gm],
  ['deploy/helm/weir/Chart.yaml', /^(?:appVersion|version): (.*)$/gm],
  ['deploy/kubernetes/components/image/kustomization.yaml', /^ {4}newTag: (.*)$/gm],
  ['docs/*.md', /\bweir(?:-cli)?-(\d+\.\d+\.\d+)/g],
]

export interface WrittenVersion {
  readonly path: string
  readonly version: string
}

/** Finds every version of the program that is written in the tree. */
export const readWrittenVersions = (root: string): WrittenVersion[] =>
  places.flatMap(([files, around]) =>
    globSync(files, { cwd: root })
      .toSorted()
      .flatMap((path) =>
        Array.from(readFileSync(join(root, path), 'utf8').matchAll(around), ([, version = '']) => ({ path, version })),
      ),
  )
