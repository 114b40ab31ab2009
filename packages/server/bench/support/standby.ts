import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { answers, asPostgres, type BenchPostgres, freePort } from './postgres.ts'

/** The name under which a standby connects, and by which the primary waits for it. */
export const standbyName = 'bench_standby'

export interface Standby {
  readonly port: number
  readonly promote: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Copies a running server and starts the copy as its standby; returns once the primary waits for it. */
export async function startStandby(postgres: BenchPostgres): Promise<Standby> {
  const data = join(postgres.folder, `standby-${Date.now()}`)
  const source = `${postgres.url()}?application_name=${standbyName}`
  const words = ['-D', data, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  execFileSync(...asPostgres(join(postgres.bin, 'pg_basebackup'), words), { stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const options = [
    '-c',
    `port=${port}`,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'max_connections=400',
  ]
  const server = spawn(...asPostgres(join(postgres.bin, 'postgres'), ['-D', data, ...options]), {
    env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server.stderr.on('data', (text: Buffer) => appendFileSync(join(postgres.folder, 'standby-log'), text))
  process.once('exit', () => server.kill('SIGQUIT'))
  const url = postgres.url(undefined, port)
  while (!(await answers(url))) {
    if (server.exitCode !== null) throw new Error('the standby did not start')
    await sleep(50)
  }
  await untilSynchronous(postgres)
  return {
    port,
    promote: async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query('select pg_promote(true, 60)')
      // Nobody stands behind it yet: it would wait for a standby of its own.
      await client.query('alter system set synchronous_standby_names = $$$$')
      await client.query('select pg_reload_conf()')
      await client.end()
    },
    stop: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
    },
  }
}

async function untilSynchronous(postgres: BenchPostgres) {
  const client = new pg.Client({ connectionString: postgres.url() })
  await client.connect()
  for (;;) {
    const { rows } = await client.query(`select 1 from pg_stat_replication where sync_state = 'sync'`)
    if (rows.length > 0) break
    await sleep(50)
  }
  await client.end()
}

/** An address that stays while the server behind it changes, as a virtual address or a proxy before a cluster does. */
export async function openSwitch(first: number) {
  const child = fork(fileURLToPath(new URL('./switching-proxy.ts', import.meta.url)), [], {
    env: { PATH: process.env['PATH'] },
  })
  child.send({ target: first })
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    switchTo: (target: number) => child.send({ target }),
    close: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
