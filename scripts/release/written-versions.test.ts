import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWrittenVersions } from './written-versions.ts'

test('the version of the program is found wherever this project writes it', () => {
  const paths = new Set(readWrittenVersions(join(import.meta.dirname, '../..')).map(({ path }) => path))
  for (const name of ['cli', 'conformance', 'gateway', 'sdk', 'server'])
    expect(paths).toContain(`packages/${name}/package.json`)
  expect([...paths].filter((path) => !path.endsWith('package.json'))).toEqual([
    'packages/sdk-python/pyproject.toml',
    'deploy/helm/weir/Chart.yaml',
    'deploy/kubernetes/components/image/kustomization.yaml',
    'docs/cli.md',
    'docs/install.md',
    'docs/systemd.md',
  ])
})
