import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { asAdmin, databaseUrl } from '../../scripts/private-services.ts'
import { knownMigrations } from '../../src/platform/infra/schema.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { eventually, startApi, startRole } from '../support/processes.ts'

const database = useDatabase()
const environment = (more: Record<string, string> = {}) => environmentFor(database, more)

describe('configuration', () => {
  test('a start with several faults names all of them at once and ends with 78', async () => {
    const role = startRole('api', {
      SVC_PORT: 'many',
      SVC_LOG_LEVEL: 'loud',
      SVC_BODY_LIMIT_BYTES: '3',
      SVC_DATABASE_URL: 'mysql://x/y',
    })
    expect(await role.exit).toBe(78)
    const text = role.errors.join('\n')
    for (const variable of [
      'SVC_PORT',
      'SVC_LOG_LEVEL',
      'SVC_BODY_LIMIT_BYTES',
      'SVC_DATABASE_URL',
      'SVC_REDIS_URL',
      'SVC_MASTER_KEYS',
    ])
      expect(text).toContain(variable)
    expect(text).toContain('6 faults')
  })

  test('no value of a secret is repeated in a fault', async () => {
    const role = startRole('api', {
      SVC_DATABASE_URL: 'mysql://weir:hunter2@db/x',
      SVC_REDIS_URL: 'redis://:hunter2@cache',
    })
    expect(await role.exit).toBe(78)
    expect(role.errors.join('\n')).not.toContain('hunter2')
  })

  test('no role starts at a public address with the master key that compose.yaml of 0.1.0 published', async () => {
    const published = 'local:bG9jYWwtb25seS1sb2NhbC1vbmx5LWxvY2FsLW9ubHk='
    for (const role of ['api', 'worker', 'migrate']) {
      const refused = startRole(
        role,
        environment({ SVC_MASTER_KEYS: published, SVC_PUBLIC_URL: 'https://weir.example.com' }),
      )
      expect(await refused.exit).toBe(78)
      expect(refused.errors.join('\n')).toContain('SVC_PUBLIC_URL is not local')
    }
    const local = await startApi(environment({ SVC_MASTER_KEYS: published }))
    expect(local.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('only for trials on this machine') }),
    )
    local.process.kill()
    expect(await local.exit).toBe(0)
  })

  test('an unknown role is explained', async () => {
    const role = startRole('dance', {})
    expect(await role.exit).toBe(64)
    expect(role.errors.join('\n')).toContain('api | worker | migrate')
  })

  test('an unknown SVC_ variable is warned about with the nearest name, a deprecated one with its replacement', async () => {
    const role = await startApi(environment({ SVC_BODY_LIMIT_BYTE: '2048', SVC_READ_LIMIT_PER_MINUTE: '600' }))
    const warnings = role.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
    expect(warnings).toContainEqual(expect.stringContaining('did you mean SVC_BODY_LIMIT_BYTES?'))
    expect(warnings).toContainEqual(
      expect.stringMatching(
        /^SVC_READ_LIMIT_PER_MINUTE is deprecated; use org_rate_limits\.read_rpm and rate_limit_policies/,
      ),
    )
    role.process.kill()
    expect(await role.exit).toBe(0)
  })
})

describe('migrations', () => {
  test('two migrators at once apply each migration once', async () => {
    const name = `${database.name}_twice`
    await asAdmin((admin) => admin.query(`create database ${name}`))
    try {
      const target = environment({ SVC_MIGRATE_DATABASE_URL: databaseUrl(name) })
      const migrators = Array.from({ length: 4 }, () => startRole('migrate', target))
      expect(await Promise.all(migrators.map(({ exit }) => exit))).toEqual([0, 0, 0, 0])
      const applied = migrators.flatMap(({ lines }) =>
        lines.flatMap((line) => (line['applied'] as string[] | undefined) ?? []),
      )
      expect(applied).toEqual(knownMigrations())
      const migrated = new pg.Client({ connectionString: databaseUrl(name) })
      await migrated.connect()
      const { rows } = await migrated.query<{ name: string }>('select name from schema_migrations order by id')
      await migrated.end()
      expect(rows.map((row) => row.name)).toEqual(knownMigrations())
    } finally {
      await asAdmin((admin) => admin.query(`drop database ${name} with (force)`))
    }
  })

  test('a start on a database that was never migrated is refused, and says what to do', async () => {
    const name = `${database.name}_empty`
    await asAdmin((admin) => admin.query(`create database ${name}`))
    try {
      for (const kind of ['api', 'worker']) {
        const role = startRole(
          kind,
          environment({ SVC_DATABASE_URL: databaseUrl(name, { name: 'weir', password: 'weir' }) }),
        )
        expect(await role.exit).toBe(1)
        expect(role.lines.at(-1)).toMatchObject({
          level: 'fatal',
          message: `The database lacks ${knownMigrations().join(', ')}: run the migrate role of this version first.`,
        })
      }
    } finally {
      await asAdmin((admin) => admin.query(`drop database ${name} with (force)`))
    }
  })

  test('a start on a schema of a newer version is refused', async () => {
    await database.owner.query(`insert into schema_migrations (name, run_on) values ('9999_from_the_future', now())`)
    try {
      const role = startRole('api', environment())
      expect(await role.exit).toBe(1)
      expect(role.lines.at(-1)!.message).toMatch(
        /^The database has 9999_from_the_future, which this version of the program does not know/,
      )
    } finally {
      await database.owner.query(`delete from schema_migrations where name = '9999_from_the_future'`)
    }
  })

  test('a start as a role that row-level security does not bind is refused', async () => {
    const role = startRole('api', environment({ SVC_DATABASE_URL: database.ownerUrl }))
    expect(await role.exit).toBe(1)
    expect(role.lines.at(-1)!.message).toContain('bypasses row-level security')
  })
})

test('a start without a database fails with its cause, not with a hang', async () => {
  const role = startRole('api', environment({ SVC_DATABASE_URL: 'postgres://weir:hunter2@127.0.0.1:1/none' }))
  expect(await role.exit).toBe(1)
  expect(JSON.stringify(role.lines)).toContain('ECONNREFUSED')
  expect(JSON.stringify(role.lines)).not.toContain('hunter2')
})

test('the api is ready without Redis, and says that it is away', async () => {
  const role = await startApi(environment({ SVC_REDIS_URL: 'redis://:hunter2@127.0.0.1:1' }))
  const ready = await fetch(`${role.url}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toEqual({ status: 'ready', checks: { postgres: 'ok', redis: 'away', clock: 'ok' } })
  expect(JSON.stringify(role.lines)).not.toContain('hunter2')
  role.process.kill()
  expect(await role.exit).toBe(0)
})

describe('stopping', () => {
  test('SIGTERM under load loses no accepted request', async () => {
    const role = await startApi(environment({ SVC_DRAIN_SECONDS: '1' }))
    const { port } = new URL(role.url)
    const clients = 32
    let answered = 0
    const lost: string[] = []
    let stoppedAtMs: number | undefined

    // Clients behind a load balancer: they reuse a connection until the server closes it, open new ones while the
    // process still counts as ready, and stop when the balancer's next probe would have taken it out.
    const probeIntervalMs = 300
    const isInRotation = () => stoppedAtMs === undefined || performance.now() - stoppedAtMs < probeIntervalMs
    async function client() {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (isInRotation()) {
        const outcome = await new Promise<string>((resolve) => {
          const request = httpRequest({ port, path: '/v1/meta/errors', agent }, (response) => {
            response.resume()
            response.on('end', () => resolve(response.complete ? String(response.statusCode) : 'cut short'))
            response.on('error', (error) => resolve(error.message))
          })
          request.on('error', (error) => resolve(error.message))
          request.end()
        })
        if (outcome === '200') answered++
        else lost.push(outcome)
      }
      agent.destroy()
    }
    const all = Promise.all(Array.from({ length: clients }, client))
    await eventually(() => answered > 500)
    stoppedAtMs = performance.now()
    const answeredBefore = answered
    role.process.kill('SIGTERM')
    const probe = await fetch(`${role.url}/readyz`)
    expect(probe.status).toBe(503)
    expect(await probe.json()).toMatchObject({ status: 'draining' })
    await all
    expect(await role.exit).toBe(0)
    expect(lost).toEqual([])
    expect(answered).toBeGreaterThan(answeredBefore)
    expect(role.lines.at(-1)!.message).toBe('stopped')
    const { rows } = await database.owner.query(
      `select count(*)::int as nodes from nodes where role = 'api' and lease_until > now()`,
    )
    expect(rows[0]).toEqual({ nodes: 0 })
  })

  test('an answer that is still being read is finished, and connections with nothing to say do not hold up the end', async () => {
    const role = await startApi(environment({ SVC_DRAIN_SECONDS: '0', SVC_STOP_TIMEOUT_SECONDS: '25' }))
    const port = Number(new URL(role.url).port)
    const silent = connect(port, '127.0.0.1')
    const half = connect(port, '127.0.0.1', () => half.write('GET /v1/meta/errors HTTP/1.1\r\nhost: x'))
    for (const socket of [silent, half]) socket.on('error', () => undefined)

    // Some megabytes that the client does not read yet: the answer is in flight when the stop begins.
    const expected = (await (await fetch(`${role.url}/docs/reference/js/scalar.js`)).arrayBuffer()).byteLength
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ port, path: '/docs/reference/js/scalar.js' }, resolve).on('error', reject).end()
    })
    role.process.kill('SIGTERM')
    await role.line(({ message }) => message === 'draining')
    await eventually(() =>
      fetch(`${role.url}/readyz`).then(
        () => false,
        () => true,
      ),
    )
    let received = 0
    for await (const chunk of answer) received += (chunk as Buffer).length
    const readMs = performance.now()
    expect(received).toBe(expected)
    expect(await role.exit).toBe(0)
    expect(performance.now() - readMs).toBeLessThan(20_000)
  })
})

describe('the worker', () => {
  test('runs the job that forgets dead nodes, and serves probes', async () => {
    await database.owner.query(`insert into nodes (id, role, version, lease_until) values
      ('00000000-0000-7000-8000-000000000001', 'api', '0', now() - interval '2 days'),
      ('00000000-0000-7000-8000-000000000002', 'api', '0', now() - interval '2 hours')`)
    const role = startRole('worker', environment())
    await role.line(({ message }) => message === 'working')
    await database.owner.query(`select graphile_worker.add_job('forget-dead-nodes')`)
    const done = await role.line(({ message }) => message === 'forgot dead nodes')
    expect(done).toMatchObject({ forgotten: 1, trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const { rows } = await database.owner.query(`select id from nodes where version = '0'`)
    expect(rows).toEqual([{ id: '00000000-0000-7000-8000-000000000002' }])
    role.process.kill('SIGTERM')
    expect(await role.exit).toBe(0)
  })

  test('a killed worker gives the job it was running back within 35 seconds', async () => {
    const first = startRole('worker', environment())
    await first.line(({ message }) => message === 'working')
    // The job's delete waits for this lock, so the worker dies in the middle of the job.
    const blocker = new pg.Client({ connectionString: database.ownerUrl })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('lock table nodes in exclusive mode')
    await database.owner.query(`select graphile_worker.add_job('forget-dead-nodes')`)
    let locker: string | null = null
    await eventually(async () => {
      const { rows } = await database.owner.query<{ locked_by: string | null }>(
        'select locked_by from graphile_worker.jobs',
      )
      locker = rows[0]?.locked_by ?? null
      return locker !== null
    })
    first.process.kill('SIGKILL')
    const killedAt = performance.now()
    await first.exit
    await blocker.end()

    const second = startRole('worker', environment())
    const freed = await second.line(({ message }) => message === 'freed the jobs of workers that died')
    expect(freed['workers']).toEqual([locker])
    await second.line(({ message }) => message === 'forgot dead nodes')
    expect(performance.now() - killedAt).toBeLessThan(35_000)
    second.process.kill('SIGTERM')
    expect(await second.exit).toBe(0)
  })
})
