import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/template-database.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    typecheck: { enabled: false },
  },
})
