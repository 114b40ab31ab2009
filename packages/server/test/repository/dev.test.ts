import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCheckout, removeCheckout } from '../support/checkout.ts'

/** `pnpm dev` in a checkout of its own, so that nobody's running one is touched. */
let checkout: string

beforeAll(() => {
  checkout = makeCheckout()
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: checkout, stdio: 'ignore' })
})
afterAll(() => removeCheckout(checkout))

const dev = (...flags: string[]) => spawnSync('pnpm', ['dev', ...flags], { cwd: checkout, encoding: 'utf8' })

interface State {
  base_url: string
  docs_url: string
  gateway_url: string
  pid: number
  operator_key: string
  org_id: string
  admin_key: string
}

/** A process that has ended but was not yet collected by its parent still has an entry. */
const isAlive = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout)

async function freePort(): Promise<{ port: number; taken: Server }> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  return { port: (taken.address() as { port: number }).port, taken }
}

test('dev starts everything, says so in one line, and stops all of it', async () => {
  const { stdout, stderr, status } = dev('--detach', '--json', '--port', '0')
  expect(status, stderr).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  const state = JSON.parse(stdout) as State
  const { port } = new URL(state.base_url)
  expect(state).toEqual({
    base_url: `http://localhost:${port}`,
    docs_url: `http://localhost:${port}/docs`,
    gateway_url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    pid: expect.any(Number),
    operator_key: expect.stringMatching(/^weir_/),
    org_id: expect.stringMatching(/^org_/),
    admin_key: expect.stringMatching(/^weir_/),
  })
  const shell = join(checkout, '.weir/dev.env')
  expect(readFileSync(shell, 'utf8').trim().split('\n')).toEqual([
    `export WEIR='${state.base_url}'`,
    `export GATEWAY='${state.gateway_url}'`,
    `export ORG='${state.org_id}'`,
    `export KEY='${state.admin_key}'`,
    `export OPERATOR_KEY='${state.operator_key}'`,
  ])
  for (const file of readdirSync(join(checkout, '.weir')).filter((name) => name.startsWith('dev')))
    expect(statSync(join(checkout, '.weir', file)).mode & 0o077, file).toBe(0)
  const base = `http://127.0.0.1:${port}`
  expect((await fetch(`${base}/readyz`)).status).toBe(200)
  expect((await fetch(`${base}/v1/meta/errors?status=402`)).status).toBe(200)
  expect((await fetch(`${base}/docs`)).status).toBe(200)
  expect((await fetch(`${state.gateway_url.replace('localhost', '127.0.0.1')}/readyz`)).status).toBe(200)
  const me = await fetch(`${base}/v1/orgs/${state.org_id}`, { headers: { authorization: `Bearer ${state.admin_key}` } })
  expect(me.status).toBe(200)

  expect(dev('--detach', '--json').stderr).toContain('it runs already')

  const { postgres } = JSON.parse(
    execFileSync('cat', ['.weir/services.json'], { cwd: checkout, encoding: 'utf8' }),
  ) as { postgres: { url: string } }
  const nodes = async () => {
    const client = new pg.Client({ connectionString: postgres.url.replace(/\/postgres$/, '/weir_dev') })
    await client.connect()
    const { rows } = await client.query<{ role: string }>('select role from nodes order by role')
    await client.query(
      `insert into nodes (id, role, version, lease_until) values (gen_random_uuid(), 'left over', '0', now())`,
    )
    await client.end()
    return rows.map(({ role }) => role)
  }
  expect(await nodes()).toEqual(['api', 'worker'])

  expect(dev('--stop').status).toBe(0)
  expect(isAlive(state.pid)).toBe(false)
  expect(existsSync(shell)).toBe(false)
  await expect(fetch(`${base}/readyz`)).rejects.toThrow('fetch failed')
  expect(spawnSync('scripts/services', ['status'], { cwd: checkout }).status).toBe(3)

  // The data is kept, until a fresh start is asked for.
  const again = JSON.parse(dev('--detach', '--json', '--port', '0').stdout) as State
  expect((await fetch(`http://127.0.0.1:${new URL(again.base_url).port}/readyz`)).status).toBe(200)
  expect(again.pid).not.toBe(state.pid)
  expect(again.admin_key).toBe(state.admin_key)
  dev('--stop')
})

test('a fresh start begins with an empty database, and a taken port is said', async () => {
  const { port, taken } = await freePort()
  const refused = dev('--detach', '--json', '--port', String(port))
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(`port ${port} is taken`)
  taken.close()

  const fresh = dev('--detach', '--json', '--port', '0', '--fresh')
  expect(fresh.status).toBe(0)
  const { postgres } = JSON.parse(
    execFileSync('cat', ['.weir/services.json'], { cwd: checkout, encoding: 'utf8' }),
  ) as { postgres: { url: string } }
  const client = new pg.Client({ connectionString: postgres.url.replace(/\/postgres$/, '/weir_dev') })
  await client.connect()
  const { rows } = await client.query<{ role: string }>('select role from nodes order by role')
  await client.end()
  expect(rows.map(({ role }) => role)).toEqual(['api', 'worker'])
})
