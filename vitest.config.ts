import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testGroups } from './scripts/test-groups.ts'

// Each file has a process of its own, and all load the same packages: what one has compiled serves the others.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'weir-compile-cache')

const shared = {
  globalSetup: ['packages/server/test/support/template-database.ts'],
  // A machine that others share pauses at times: a limit ends what hangs, it measures nothing.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  // Node runs the files itself, as it does in production, and keeps what it has compiled.
  experimental: { viteModuleRunner: false },
  // A failure names what it found: the summary of the gate shows no more than the message.
  chaiConfig: { truncateThreshold: 2_000 },
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'units',
          include: testGroups.units,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'side by side',
          include: testGroups.sideBySide,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          globalSetup: [...shared.globalSetup, 'packages/server/test/support/compiled-program.ts'],
          include: testGroups.alone,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
