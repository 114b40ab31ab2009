import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, inject, test } from 'vitest'

/** The tests of the Python package, which pytest runs: each of them is one here, so that none is skipped unseen. */
const folder = fileURLToPath(new URL('..', import.meta.url))
const withSdks = fileURLToPath(new URL('../../../.weir/python/bin/python', import.meta.url))
const python = existsSync(withSdks) ? withSdks : '/usr/bin/python3'
const env = { ...process.env, NODE: process.execPath, PYTHONDONTWRITEBYTECODE: '1' }
const pytest = ['-m', 'pytest', '-p', 'no:cacheprovider']

function collected(): string[] {
  try {
    const listed = execFileSync(python, [...pytest, '--collect-only', '-q'], { cwd: folder, env, encoding: 'utf8' })
    return listed.split('\n').filter((line) => line.includes('::'))
  } catch (error) {
    throw new Error('A Python package is missing: scripts/debian-packages python3-httpx python3-pytest mypy', {
      cause: error,
    })
  }
}

/** Parts that run side by side, each with a Weir of its own: one of them waits where the other works. */
const apart = ['tests/test_chaos.py', 'tests/test_package.py', 'tests/test_docs.py']
const parts = [apart, apart.map((file) => `--ignore=${file}`)]
const results = new Map<string, string>()
let output = ''

async function runPart(part: readonly string[]): Promise<string> {
  const parameters = [...pytest, '-v', '--tb=short', '--color=no', '--durations=10', ...part]
  const variables = { ...env, WEIR_TEMPLATE_DATABASE: inject('templateDatabase') }
  return new Promise((resolve) => {
    execFile(python, parameters, { cwd: folder, env: variables, maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}

beforeAll(async () => {
  output = (await Promise.all(parts.map(runPart))).join('\n')
  // One that passed and then failed to clean up after itself has two results.
  for (const [, name = '', result = ''] of output.matchAll(
    /^(tests\/.+::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/gm,
  ))
    if (result !== 'PASSED' || !results.has(name)) results.set(name, result)
}, 1_800_000)

describe('the Python package', () => {
  test.each(collected())('%s', (name) => {
    expect(results.get(name), output.slice(-12_000)).toBe('PASSED')
  })
})
