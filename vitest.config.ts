import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testGroups } from './scripts/test-groups.ts'

// All processes load the same packages: what one has compiled serves the others.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'weir-compile-cache')

const template = 'packages/server/test/support/template-database.ts'
const leftovers = 'packages/server/test/support/leftovers.ts'
const compileProgram = 'packages/server/test/support/compiled-program.ts'

interface Way {
  readonly workers: number
  /** Groups of one order run at the same time. */
  readonly order: number
  readonly setup?: readonly string[]
  readonly isolate?: boolean
}

const project = (name: string, include: string[], { workers, order, setup = [], isolate = true }: Way) => ({
  test: {
    name,
    include,
    isolate,
    maxWorkers: workers,
    sequence: { groupOrder: order },
    globalSetup: [template, ...setup],
    setupFiles: [leftovers],
    // A machine that others share pauses at times: a limit ends what hangs, it measures nothing.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks' as const,
    // Node runs the files itself, as it does in production, and keeps what it has compiled.
    experimental: { viteModuleRunner: false },
    // A failure names what it found: the summary of the gate shows no more than the message.
    chaiConfig: { truncateThreshold: 2_000 },
  },
})

export default defineConfig({
  test: {
    projects: [
      // One more than cores: while one waits for a lease or an answer, another works.
      project('units', testGroups.units, { workers: 3, order: 0, isolate: false }),
      project('side by side', testGroups.sideBySide, { workers: 3, order: 0, isolate: false, setup: [compileProgram] }),
      project('processes', testGroups.processes, { workers: 3, order: 1, setup: [compileProgram] }),
      project('storms', testGroups.storms, { workers: 2, order: 2 }),
      project('alone', testGroups.alone, { workers: 1, order: 3 }),
    ],
  },
})
