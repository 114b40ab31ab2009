import { afterAll, vi } from 'vitest'
import { killRoles } from './processes.ts'
import { killRedisServers } from './redis-servers.ts'

/** After each test file: nothing is left of it that one in the same process could meet. */

const environment = { ...process.env }

afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  killRoles()
  await killRedisServers()
})
