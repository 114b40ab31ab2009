import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { leashed } from '../../proofs/support/postgres-server.ts'
import { appLogin, services } from '../../scripts/private-services.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { eventually, startRole } from '../support/processes.ts'
import { freePort } from '../support/redis-servers.ts'

/** A real PgBouncer before PostgreSQL, in each of its modes, with the setting that people add when a program cannot connect. */
const database = useDatabase()
const folder = mkdtempSync(join(tmpdir(), 'weir-pooler-'))
const poolers: ChildProcess[] = []
afterAll(() => {
  for (const pooler of poolers) pooler.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function startPooler(mode: string): Promise<number> {
  const port = await freePort()
  const [configuration, users] = [join(folder, `${mode}.ini`), join(folder, 'users')]
  writeFileSync(users, `"${appLogin.name}" "${appLogin.password}"\n`)
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${services().postgres.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout,lock_timeout',
  ]
  writeFileSync(configuration, `${lines.join('\n')}\n`)
  // It refuses to run as root.
  chmodSync(folder, 0o755)
  const [command, ...parameters] = leashed('KILL', ['pgbouncer', configuration], true)
  let told = ''
  const pooler = spawn(command, parameters, { stdio: ['ignore', 'ignore', 'pipe'] })
  pooler.stderr.on('data', (chunk) => (told += String(chunk)))
  poolers.push(pooler)
  await eventually(() => {
    if (pooler.exitCode !== null) throw new Error(told)
    return told.includes('process up')
  })
  return port
}

test.each(['session', 'transaction', 'statement'])(
  'no role starts behind PgBouncer in its mode %s, and each says why',
  async (mode) => {
    const port = await startPooler(mode)
    const through = Object.assign(new URL(database.appUrl), { port: String(port) }).href
    for (const name of ['api', 'worker']) {
      const role = startRole(name, { ...environmentFor(database), SVC_DATABASE_URL: through })
      expect(await role.exit).toBe(1)
      expect(role.lines.at(-1)!.message).toMatch(/without a pooler in between|had accepted/)
    }
  },
)
