import { type RedisServer, spawnRedis } from './redis-server.ts'

export { freePort, type RedisServer } from './redis-server.ts'

/** Redis processes of a test's own, to be killed at will; what is left running is killed at the end of its file. */
const started: RedisServer[] = []

/** Kills what is still running, and removes its folders. `leftovers.ts` calls it after each test file. */
export async function killRedisServers() {
  await Promise.all(started.splice(0).map(({ remove }) => remove()))
}

export async function startRedis(
  options: { port?: number; arguments?: readonly string[]; program?: string } = {},
): Promise<RedisServer> {
  const server = await spawnRedis(options)
  started.push(server)
  return server
}
