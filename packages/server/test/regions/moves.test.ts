import { sql as raw } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { createLinkSignatures, digestOf } from '../../src/regions/link/signature.ts'
import { cancelMove, listMoves, purgeMoved, rescueMoves, SidesDiffer } from '../../src/regions/moves/moves.ts'
import { readTables } from '../../src/regions/moves/table-queries.ts'
import { copyRules } from '../../src/regions/moves/tables.ts'
import { movePath, type SentMessage, tellTarget } from '../../src/regions/moves/target.ts'
import { newUuid, requireId } from '../../src/values/id.ts'
import { bind, counted, tenantIn, useCells } from '../support/cells.ts'
import { linkOf, moveOrg, moverPlatformOf } from '../support/moves.ts'
import { call, operatorOf, type Tenant } from '../support/tenants.ts'

const { eu, us } = useCells()

const me = async (url: string, { key }: Tenant) => (await call(url, 'GET', '/v1/me', { key })).status
/** Runs a statement past everything that the application is bound by. */
const asOwner = async (cell: typeof us, statement: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: cell.server.database.ownerUrl })
  await client.connect()
  try {
    return await client.query(statement, values)
  } finally {
    await client.end()
  }
}

/** `migrate` puts a gate before the rows of organizations where there are several cells; the databases of tests are migrated without any. */
beforeAll(async () => {
  for (const cell of [eu, us]) await asOwner(cell, 'call gate_tenant_tables()')
})

test('without the gate a move is refused: writes would go on in both cells', async () => {
  const tenant = await tenantIn(us)
  const gate = (name: string) =>
    asOwner(us, `alter trigger ${name} on orgs rename to ${name === 'gate_written' ? 'away' : 'gate_written'}`)
  await gate('gate_written')
  try {
    await expect(moveOrg(us, eu, tenant.id)).rejects.toThrow('was not migrated for moves')
  } finally {
    await gate('away')
  }
})

describe('an organization that has moved', () => {
  test('has everything at its new home, is served through both cells, and no longer by the old one', async () => {
    const tenant = await tenantIn(us)
    const at = { wrong: us.server.url, right: eu.server.url }
    const budget = await call(us.server.url, 'POST', `/v1/orgs/${tenant.id}/budgets`, {
      key: tenant.key,
      body: { name: 'one', scope_kind: 'org', limit_usd: '5', period: 'month' },
      headers: { 'idempotency-key': 'budget' },
    })
    expect(budget.status).toBe(201)
    const run = { model: 'gpt-4o', input_tokens: 2_000, max_output_tokens: 1_000 }
    const start = (url: string, key: string) =>
      call(url, 'POST', '/v1/runs', { key: tenant.key, body: run, headers: { 'idempotency-key': key } })
    const open = await start(us.server.url, 'open')
    const ended = await start(us.server.url, 'ended')
    expect([open.status, ended.status]).toEqual([201, 201])
    const finish = (url: string, id: unknown) =>
      call(url, 'POST', `/v1/runs/${String(id)}/finish`, {
        key: tenant.key,
        body: { status: 'succeeded', input_tokens: 2_000, output_tokens: 400 },
      })
    expect((await finish(us.server.url, ended.json['id'])).status).toBe(200)
    const reads = [`/v1/orgs/${tenant.id}`, `/v1/orgs/${tenant.id}/budgets`, `/v1/runs/${String(ended.json['id'])}`]
    const readAll = (url: string) =>
      Promise.all(reads.map(async (path) => (await call(url, 'GET', path, { key: tenant.key })).text))
    const before = await readAll(us.server.url)

    const view = await moveOrg(us, eu, tenant.id)
    expect(view).toMatchObject({ state: 'done', cell: 'eu1', epoch: 2 })

    await expect
      .poll(async () => (await call(at.wrong, 'GET', '/v1/me', { key: tenant.key })).status, { timeout: 15_000 })
      .toBe(200)
    for (const url of [at.right, at.wrong])
      expect(await readAll(url)).toEqual(before.map((text) => text.replace('"home_region":"us"', '"home_region":"eu"')))
    // What was done before is known: a retry is answered as then.
    for (const url of [at.right, at.wrong]) {
      const again = await start(url, 'open')
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, open.text, 'true'])
    }
    expect((await finish(at.wrong, open.json['id'])).json['status']).toBe('succeeded')
    expect((await start(at.right, 'new')).status).toBe(201)
    // The old cell leads there, and counts nothing itself.
    const deprecated = { route: '/v1/forecast' }
    const calls = async () => ({
      old: await counted(us, 'svc_deprecated_route_calls_total', deprecated),
      home: await counted(eu, 'svc_deprecated_route_calls_total', deprecated),
    })
    const counts = await calls()
    expect((await call(at.wrong, 'GET', '/v1/forecast', { key: tenant.key })).headers.has('deprecation')).toBe(true)
    expect(await calls()).toEqual({ old: counts.old, home: counts.home + 1 })
    const verified = await call(at.right, 'GET', `/v1/orgs/${tenant.id}/audit-log/verify`, { key: tenant.key })
    expect([verified.status, verified.json['valid'] ?? verified.text]).toEqual([200, true])
  })
})

describe('what an organization leaves behind', () => {
  test('is removed when its time is over; its keys lead on, and it may come back', async () => {
    const tenant = await tenantIn(us)
    const org = requireId('org', tenant.id)
    const ownerUrl = us.server.database.ownerUrl
    await moveOrg(us, eu, tenant.id)
    await expect(moveOrg(eu, us, tenant.id)).rejects.toThrow('the organization lives here')
    const link = linkOf(eu)
    await cancelMove(eu.server.platform, link, org)
    link.close()
    await expect(purgeMoved(ownerUrl, org, false)).rejects.toThrow('--now removes them before')
    expect((await purgeMoved(ownerUrl, org, true)).rows).toBeGreaterThan(5)
    const left = await asOwner(
      us,
      'select (select count(*)::int from orgs where id = $1) + (select count(*)::int from api_keys where org_id = $1) as n',
      [org],
    )
    expect(left.rows).toEqual([{ n: 0 }])
    for (const cell of [us, eu]) await expect.poll(() => me(cell.server.url, tenant), { timeout: 15_000 }).toBe(200)
    expect(await listMoves(us.server.platform)).toContainEqual(
      expect.objectContaining({ org_id: tenant.id, state: 'purged', cell: 'eu1' }),
    )

    expect(await moveOrg(eu, us, tenant.id)).toMatchObject({ state: 'done', epoch: 3 })
    for (const cell of [us, eu]) await expect.poll(() => me(cell.server.url, tenant), { timeout: 15_000 }).toBe(200)
  })
})

describe('a move that is interrupted', () => {
  test.for(['copied', 'frozen', 'sealed', 'flipped'] as const)(
    'after it has %s goes on where it stood, and the organization never lives in two cells',
    async (at) => {
      const tenant = await tenantIn(us)
      const interrupted = moveOrg(us, eu, tenant.id, {
        onStep: (step) => {
          if (step === at) throw new Error(`killed after ${at}`)
        },
      })
      await expect(interrupted).rejects.toThrow(`killed after ${at}`)
      const open = await openCells(tenant)
      // Before the flip the old cell goes on by itself; after it nobody serves the organization until the target knows.
      expect(open).toEqual(at === 'flipped' ? [] : ['us1'])
      expect((await moveOrg(us, eu, tenant.id)).state).toBe('done')
      expect(await openCells(tenant)).toEqual(['eu1'])
      await expect.poll(() => me(us.server.url, tenant), { timeout: 15_000 }).toBe(200)
    },
  )

  test('is given up before the flip, and begun again; after it there is no way back but another move', async () => {
    const tenant = await tenantIn(us)
    const stop = (step: string) => ({
      onStep: (reached: string) => {
        if (reached === step) throw new Error('killed')
      },
    })
    await expect(moveOrg(us, eu, tenant.id, stop('sealed'))).rejects.toThrow('killed')
    const link = linkOf(us)
    const org = requireId('org', tenant.id)
    expect((await cancelMove(us.server.platform, link, org)).state).toBe('cancelled')
    expect(await openCells(tenant)).toEqual(['us1'])
    const left = await asOwner(eu, 'select count(*)::int as n from orgs where id = $1', [org])
    expect(left.rows).toEqual([{ n: 0 }])
    await expect(moveOrg(us, eu, tenant.id, stop('flipped'))).rejects.toThrow('killed')
    await expect(cancelMove(us.server.platform, link, org)).rejects.toThrow('can only be completed')
    expect((await moveOrg(us, eu, tenant.id)).state).toBe('done')
    link.close()
  })

  test.for(['frozen', 'moved'] as const)(
    'and left %s by a mover that is gone is opened by the worker, in the one cell in which it lives',
    async (state) => {
      const tenant = await tenantIn(us)
      const last = state === 'frozen' ? 'copied' : 'flipped'
      const killed = moveOrg(us, eu, tenant.id, {
        onStep: (step) => {
          if (step === last) throw new Error('killed')
        },
      })
      await expect(killed).rejects.toThrow('killed')
      // What a kill leaves behind, which has no time to thaw.
      if (state === 'frozen')
        await asOwner(us, `update org_moves set state = 'frozen', frozen_at = now() where moved_org = $1`, [
          requireId('org', tenant.id),
        ])
      expect(await openCells(tenant)).toEqual([])
      const rescuer = rescueMoves(moverPlatformOf(us), 50)
      await expect.poll(() => openCells(tenant), { timeout: 30_000 }).toEqual([state === 'frozen' ? 'us1' : 'eu1'])
      await rescuer.close()
      expect((await moveOrg(us, eu, tenant.id)).state).toBe('done')
      expect(await openCells(tenant)).toEqual(['eu1'])
    },
  )

  test('only by a mover that is gone: one that takes its time is left alone', async () => {
    const tenant = await tenantIn(us)
    const rescuer = rescueMoves(moverPlatformOf(us), 20)
    const pause = (step: string) =>
      new Promise<void>((resolve) => setTimeout(resolve, /frozen|flipped/.test(step) ? 500 : 0))
    expect((await moveOrg(us, eu, tenant.id, { onStep: pause })).state).toBe('done')
    await rescuer.close()
  })

  /** Names of the cells in whose database a row of the organization can be written. */
  async function openCells(tenant: Tenant) {
    const org = requireId('org', tenant.id)
    const open: string[] = []
    for (const cell of [us, eu]) {
      const written = await cell.server.platform.sql
        .asOrgs([org], (tx) =>
          tx.updateTable('orgs').set({ updated_at: new Date() }).where('id', '=', org).executeTakeFirst(),
        )
        .then(
          ({ numUpdatedRows }) => numUpdatedRows > 0n,
          (error: unknown) => {
            expect(error).toMatchObject({ code: 'WE002' })
            return false
          },
        )
      if (written) open.push(cell.name)
    }
    return open
  }
})

describe('the comparison', () => {
  test('stops the move where a row differs, and names its table; the organization goes on where it was', async () => {
    const tenant = await tenantIn(us)
    const org = requireId('org', tenant.id)
    const tampered = moveOrg(us, eu, tenant.id, {
      onStep: async (step) => {
        if (step === 'copied')
          await asOwner(
            eu,
            `set session_replication_role = replica; update api_keys set name = 'tampered' where org_id = '${org}'`,
          )
      },
    })
    await expect(tampered).rejects.toThrow(SidesDiffer)
    await expect(tampered).rejects.toThrow('api_keys')
    expect(await me(us.server.url, tenant)).toBe(200)
  })
})

describe('the tables of the schema', () => {
  test('have a rule each by which they are moved, and every table of organizations has the gate before its writes', async () => {
    const { rows } = await asOwner(
      us,
      `select c.relname as name,
              exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped) as is_of_org,
              (select count(*)::int from pg_trigger t where t.tgrelid = c.oid and t.tgname in ('gate_written', 'gate_deleted', 'capture_written', 'capture_deleted')) as gates
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
    )
    const tables = rows as { name: string; is_of_org: boolean; gates: number }[]
    expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(copyRules).sort())
    expect(tables.filter(({ name, is_of_org, gates }) => gates !== (is_of_org || name === 'orgs' ? 4 : 0))).toEqual([])
    // What refers to something comes after it.
    const order = (await readTables(us.server.platform.sql.pool)).map(({ name }) => name)
    expect(order.indexOf('orgs')).toBeLessThan(order.indexOf('api_keys'))
    expect(order.indexOf('api_keys')).toBeLessThan(order.indexOf('foreign_keys'))
  })

  test('cannot gain one that nobody has thought of', async () => {
    await asOwner(
      us,
      `create table forgotten (org_id uuid not null, id int, primary key (org_id, id)); call protect_tenant_table('forgotten')`,
    )
    try {
      await expect(readTables(us.server.platform.sql.pool)).rejects.toThrow(
        'no rule says how rows of forgotten change their cell',
      )
    } finally {
      await asOwner(us, 'drop table forgotten')
    }
  })
})

describe('messages of a move', () => {
  const signatures = () =>
    createLinkSignatures(us.server.platform.config.cellLinkKeys!(), us.server.platform.config.masterKeys())
  const post = (step: string, header: string | undefined, body: string) =>
    fetch(`${eu.server.url}${movePath(step)}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        ...(header !== undefined && { 'x-svc-cell-link': header }),
      },
      body,
    }).then(async (answer) => answer.status)
  const signed = (
    body: string,
    target = movePath('discard'),
    { purpose = 'move', from = 'us1', atMs = Date.now() } = {},
  ) =>
    signatures().sign(
      { method: 'POST', target },
      { purpose: purpose as 'move', from, to: 'eu1', digest: digestOf(body) },
      atMs,
    ).header
  const message = (org: string) => JSON.stringify({ org, move: newUuid(), attempt: '1' })

  test('are those of another cell alone: forged, altered, replayed, stale ones and those for another use are refused', async () => {
    const body = message(newUuid())
    const good = signed(body)
    expect(await post('discard', good, body)).toBe(200)
    expect(await post('discard', good, body)).toBe(401)
    expect(await post('discard', signed(body), message(newUuid()))).toBe(401)
    expect(await post('open', signed(body), body)).toBe(401)
    expect(await post('discard', signed(body, movePath('discard'), { purpose: 'internal' }), body)).toBe(401)
    expect(await post('discard', signed(body, movePath('discard'), { from: 'xx1' }), body)).toBe(401)
    expect(await post('discard', signed(body, movePath('discard'), { atMs: Date.now() - 60_000 }), body)).toBe(401)
    expect(await post('discard', `${good.slice(0, -4)}AAAA`, body)).toBe(401)
    expect(await post('discard', undefined, body)).toBe(404)
  })

  test('are of nobody who has a key: neither an owner nor an operator finds a way to begin, cancel or watch a move', async () => {
    const tenant = await tenantIn(eu)
    const { key: operator } = await operatorOf(eu.server)
    for (const key of [tenant.key, operator])
      for (const step of ['open', 'apply', 'count', 'sums', 'seal', 'activate', 'discard']) {
        const answer = await call(eu.server.url, 'POST', movePath(step), { key, body: { org: tenant.id } })
        expect([answer.status, answer.json.error?.code]).toEqual([404, 'not_found'])
      }
    expect(eu.server.routes.filter(({ template }) => /move/.test(template))).toEqual([])
    await expect(
      eu.server.platform.sql.asOrgs([requireId('org', tenant.id)], (tx) => raw`delete from org_moves`.execute(tx)),
    ).rejects.toThrow('permission denied')
  })

  test('write rows of the organization that arrives, and of no other, whatever the other cell says', async () => {
    const [guest, resident] = [await tenantIn(us), await tenantIn(eu)]
    const [org, other] = [requireId('org', guest.id), requireId('org', resident.id)]
    const link = linkOf(us)
    const move = newUuid()
    const send = (step: 'open' | 'apply' | 'activate' | 'seal' | 'discard', more: Partial<SentMessage>) =>
      tellTarget(link, 'eu1', step, { org, move, attempt: '1', term: '1', ...more })
    const { rows: migrations } = await us.server.platform.sql.pool.query(
      'select name from schema_migrations order by id desc limit 1',
    )
    const schema = String(migrations[0]!.name)
    // An organization that lives there does not arrive.
    await expect(send('open', { org: other, epoch: '2', schema })).rejects.toThrow('the organization lives here')
    await expect(send('activate', { org: other })).rejects.toThrow('the move is not known')
    await expect(send('discard', { org: other })).rejects.toThrow('another move is recorded')
    await send('open', { epoch: '2', schema })
    const smuggled = async (table: string, row: string) =>
      send('apply', { batch: '1', rows: { table, rows: [row], gone: [] } })
    await expect(smuggled('event_opt_ins', `(${other},run.finished)`)).rejects.toThrow(
      /another organization|malformed|parenthesis|few|many/,
    )
    await expect(smuggled('nodes', '(x)')).rejects.toThrow('not a table of organizations')
    const row = await asOwner(eu, 'select t::text as row from org_ledgers t where org_id = $1', [other])
    await expect(smuggled('org_ledgers', String(row.rows[0].row))).rejects.toThrow(
      'a row of another organization in org_ledgers',
    )
    const gone = { table: 'org_ledgers', rows: [], gone: [JSON.stringify({ org_id: other })] }
    await send('apply', { batch: '1', rows: gone })
    const whole = { table: 'org_ledgers', rows: [], gone: [], isWhole: true }
    await send('apply', { batch: '2', rows: whole })
    expect(await me(eu.server.url, resident)).toBe(200)
    expect((await asOwner(eu, 'select count(*)::int as n from org_ledgers where org_id = $1', [other])).rows).toEqual([
      { n: 1 },
    ])
    const bounds = { parent: 'audit_log', suffix: '190001', from: '1900-01-01', to: '2100-01-01' }
    await expect(send('open', { epoch: '2', term: '2', schema, partitions: [bounds] })).rejects.toThrow(
      'not of a kind that it would make',
    )
    await send('discard', {})
    link.close()
  })

  test('do not take an organization out of the region to which it is bound', async () => {
    const tenant = await tenantIn(us)
    await bind(us, tenant)
    await expect(moveOrg(us, eu, tenant.id)).rejects.toThrow('bound to the region us')
  })
})
