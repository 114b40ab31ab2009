import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testGroups } from './scripts/test-groups.ts'

// Each file has a process of its own, and all load the same packages: what one has compiled serves the others.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'weir-compile-cache')

const template = 'packages/server/test/support/template-database.ts'
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
      project('units', testGroups.units, { workers: 2, order: 0, isolate: false }),
      project('side by side', testGroups.sideBySide, { workers: 2, order: 0 }),
      project('processes', testGroups.processes, { workers: 2, order: 1, setup: [compileProgram] }),
      project('alone', testGroups.alone, { workers: 1, order: 2 }),
    ],
  },
})
