import { defineConfig } from 'vitest/config'
import { testGroups } from './scripts/test-groups.ts'

const shared = {
  globalSetup: ['packages/server/test/support/template-database.ts'],
  // A machine that others share pauses at times: a limit ends what hangs, it measures nothing.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  // A failure names what it found: the summary of the gate shows no more than the message.
  chaiConfig: { truncateThreshold: 2_000 },
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'side by side',
          include: testGroups.sideBySide,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...shared, name: 'alone', include: testGroups.alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
