import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import {
  appLogin,
  createDatabase,
  databaseUrl,
  dropDatabase,
  masterKeys,
  services,
  servicesUp,
} from '../../scripts/private-services.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { secret } from '../../src/values/secret.ts'
import { median } from '../support/statistics.ts'

/**
 * What the chain of hooks costs: a trivial route of `/v1` against the bare framework with the same route and schema. Both
 * run in one session and take turns, since the machine's speed changes from minute to minute: only ratios mean something.
 */

interface Server {
  readonly name: string
  readonly port: number
  readonly keys: readonly string[]
  readonly process: ChildProcess
}

const connections = 64

async function start(name: string, environment: Record<string, string>): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./servers.ts', import.meta.url)), [name], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  const [{ port, keys }] = (await once(child, 'message')) as [{ port: number; keys?: string[] }]
  return { name, port, keys: keys ?? [], process: child }
}

async function cpuMicros(server: Server): Promise<number> {
  server.process.send('cpu')
  const [answer] = (await once(server.process, 'message')) as [{ cpuMicros: number }]
  return answer.cpuMicros
}

interface Case {
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Which of the customers asks; none on an open route. */
  readonly key?: number
  /** The least ratio to the bare framework, where one is promised. */
  readonly bar?: number
}

const trivial: Case[] = [
  { title: 'GET, open', method: 'GET', path: '/v1/bench', bar: 0.75 },
  // A body adds parsing and validation that differ from the framework's own, so no bar is set.
  { title: 'POST, open', method: 'POST', path: '/v1/bench' },
]
const identified: Case[] = [
  { title: 'GET with key and address list', method: 'GET', path: '/v1/bench/read', key: 0 },
  { title: 'GET with key, address list and a rate limit', method: 'GET', path: '/v1/bench/read', key: 1, bar: 0.5 },
  { title: 'GET with key, address list and three rate limits', method: 'GET', path: '/v1/bench/read', key: 2 },
]

async function measure(server: Server, { method, path, key }: Case, seconds: number) {
  const before = await cpuMicros(server)
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}${path}`,
    ...(key !== undefined && server.keys.length > 0 && { headers: { authorization: `Bearer ${server.keys[key]}` } }),
    connections,
    duration: seconds,
    method,
    ...(method === 'POST' && {
      body: JSON.stringify({ model: 'gpt-5', input_tokens: 1200, tags: ['team-a'] }),
      headers: { 'content-type': 'application/json' },
    }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${server.name}: ${result.non2xx} bad answers, ${result.errors} errors`)
  return {
    rate: result.requests.total / result.duration,
    cpuMicros: ((await cpuMicros(server)) - before) / result.requests.total,
  }
}

export const benchHttp = ({ smoke }: { smoke: boolean }) => compare(trivial, smoke)
export const benchIdentity = ({ smoke }: { smoke: boolean }) => compare(identified, smoke)

async function compare(cases: readonly Case[], smoke: boolean) {
  const { pairs, seconds } = smoke ? { pairs: 1, seconds: 1 } : { pairs: 9, seconds: 4 }
  servicesUp()
  const database = `weir_bench_${process.pid}`
  await createDatabase(database, { fresh: true })
  const appUrl = databaseUrl(database, appLogin)
  await migrate({
    ownerUrl: secret(databaseUrl(database)),
    appUrl: secret(appUrl),
    log: createLog({ level: 'warn', role: 'bench' }),
  })
  const servers = await Promise.all([
    start('weir', { SVC_DATABASE_URL: appUrl, SVC_REDIS_URL: services().redis.url, SVC_MASTER_KEYS: masterKeys() }),
    start('bare', {}),
  ])
  const [weir, bare] = servers
  try {
    for (const one of cases) {
      for (const server of servers) await measure(server, one, smoke ? 1 : 3)
      const rounds: { weir: Awaited<ReturnType<typeof measure>>; bare: Awaited<ReturnType<typeof measure>> }[] = []
      for (let i = 0; i < pairs; i++)
        rounds.push({ weir: await measure(weir, one, seconds), bare: await measure(bare, one, seconds) })
      const ratios = rounds.map((round) => round.weir.rate / round.bare.rate)
      const cpu = rounds.map((round) => round.bare.cpuMicros / round.weir.cpuMicros)
      const figure = (values: number[], digits = 2) => median(values).toFixed(digits)
      console.log(
        `${one.title}, ${connections} connections: ${figure(
          rounds.map((r) => r.weir.rate),
          0,
        )}/s against ${figure(
          rounds.map((r) => r.bare.rate),
          0,
        )}/s bare; ` +
          `throughput ratio ${figure(ratios)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}${one.bar === undefined ? '' : `, bar ${one.bar}`}); ` +
          `CPU per request ${figure(
            rounds.map((r) => r.weir.cpuMicros),
            1,
          )} against ${figure(
            rounds.map((r) => r.bare.cpuMicros),
            1,
          )} µs, ratio ${figure(cpu)}`,
      )
      if (!smoke && one.bar !== undefined && median(ratios) < one.bar) process.exitCode = 1
    }
  } finally {
    for (const server of servers) server.process.kill()
    await Promise.all(servers.map((server) => once(server.process, 'exit')))
    await dropDatabase(database)
  }
}
