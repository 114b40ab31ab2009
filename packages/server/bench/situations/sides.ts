import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { askAtRate } from '../support/open-loop.ts'
import type { BenchPostgres } from '../support/postgres.ts'
import { percentiles, type Round } from '../support/report.ts'
import type { Bench } from '../support/server.ts'
import { ask, type BenchOrg, call, type Server } from '../support/server.ts'

/** How requests come: from so many callers who wait for their answers, or so many a second whatever happens. */
export type Load = { readonly callers: number } | { readonly perSecond: number }

export const loadName = (load: Load) => ('callers' in load ? `${load.callers} callers` : `${load.perSecond}/s`)

/** A round of decisions, from Weir or from the bare framework. */
export async function askUnder(
  bench: Bench,
  server: Server,
  orgs: readonly BenchOrg[],
  load: Load,
  seconds: number,
): Promise<Round> {
  if ('callers' in load) return ask(server, bench.postgres, { orgs, connections: load.callers, seconds })
  const answers = await askAtRate({
    port: server.port,
    path: '/v1/edge/decision',
    key: orgs[0]!.key,
    body: JSON.stringify(call),
    perSecond: load.perSecond,
    seconds,
  })
  const answered = answers.filter(({ status }) => status === 200)
  if (answered.length === 0) throw new Error(`nothing was answered with 200: ${answers[0]?.status} ${answers[0]?.body}`)
  const lastMs = Math.max(...answers.map(({ dueMs, tookMs }) => dueMs + tookMs))
  return {
    rate: answered.length / (lastMs / 1_000),
    refused: 1 - answered.length / answers.length,
    ...percentiles(answered.map(({ tookMs }) => tookMs)),
  }
}

/** A round of PostgreSQL alone: the rows of a decision, in one transaction each, by pgbench. */
export async function transact(
  postgres: BenchPostgres,
  script: string,
  load: Load,
  options: { seconds: number; port?: number },
): Promise<Round> {
  const { seconds, port = postgres.port() } = options
  const url = new URL(postgres.url())
  const log = join(postgres.folder, 'pgbench')
  const clients = 'callers' in load ? load.callers : Math.min(64, load.perSecond)
  const rate = 'callers' in load ? [] : ['-R', String(load.perSecond)]
  const words = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds), '-f', script, ...rate]
  const child = spawn(
    join(postgres.bin, 'pgbench'),
    [...words, '-l', `--log-prefix=${log}`, '-h', url.hostname, '-p', String(port), '-U', url.username, 'postgres'],
    { env: { PATH: process.env['PATH'], PGPASSWORD: url.password }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const tps = /tps = ([\d.]+)/.exec(output)
  if (child.exitCode !== 0 || !tps) throw new Error(`pgbench failed: ${errors}${output}`)
  const logs = readdirSync(postgres.folder).filter((name) => name.startsWith('pgbench.'))
  const times = logs.flatMap((name) => {
    const path = join(postgres.folder, name)
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    rmSync(path)
    return lines.map((line) => Number(line.split(' ')[2]) / 1_000)
  })
  return { rate: Number(tps[1]), ...percentiles(times) }
}
