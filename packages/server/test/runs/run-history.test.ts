import { describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/records/run-log/run-log.ts'
import { formatId, newUuid, newUuidAt, parseId, requireId } from '../../src/values/id.ts'
import { formatUsd } from '../../src/values/money.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf, useLimits } from '../support/limits.ts'
import { firstSeed, Random } from '../support/random.ts'
import { endRunning, insertRecorded, insertRunning, recordedRun } from '../support/recorded-runs.ts'
import { type Answer, call, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
const limits = useLimits(server)
const dayMs = 86_400_000
const hourMs = 3_600_000

interface Listed {
  readonly id: string
  readonly status: string
  readonly [field: string]: unknown
}

const newOrg = () => tenantOf(server, limits.operator)
const get = (org: Tenant, path: string) => call(server.url, 'GET', path, { key: org.key })

async function page(org: Tenant, query: Record<string, string>): Promise<{ data: Listed[]; next: string | null }> {
  const { status, json, text } = await get(org, `/v1/runs?${new URLSearchParams(query).toString()}`)
  expect(status, text).toBe(200)
  return { data: json['data'] as Listed[], next: json['next_cursor'] as string | null }
}

/** All pages of a list, with something happening between them. */
async function walk(
  org: Tenant,
  query: Record<string, string>,
  between: () => Promise<unknown> = async () => undefined,
) {
  const all: Listed[] = []
  let cursor: string | null = null
  do {
    const { data, next }: Awaited<ReturnType<typeof page>> = await page(org, {
      ...query,
      ...(cursor !== null && { cursor }),
    })
    all.push(...data)
    cursor = next
    await between()
  } while (cursor !== null)
  return all
}

const idsOf = (runs: readonly { id: string }[]) => runs.map(({ id }) => id)
const shown = (run: { id: string }) => formatId('run', run.id)

describe.each(['started_at', '-started_at', 'cost_usd', '-cost_usd'])('a list sorted by %s', (sort) => {
  test('shows each run once while others are recorded', async () => {
    const org = await newOrg()
    const nowMs = Date.now()
    // Many of one cost, some of one millisecond, over months.
    const run = (i: number) =>
      recordedRun({ startedAtMs: nowMs - ((i * 7) % 80) * dayMs - (i % 3), costNano: BigInt(i % 4) * 10n ** 9n })
    const first = Array.from({ length: 60 }, (_, i) => run(i))
    await insertRecorded(server, org.id, first)
    let inserted = 60
    const listed = await walk(org, { sort, limit: '7' }, async () => {
      if (inserted < 100)
        await insertRecorded(
          server,
          org.id,
          Array.from({ length: 4 }, () => run(inserted++)),
        )
    })
    const ids = idsOf(listed)
    expect(new Set(ids).size).toBe(ids.length)
    expect(first.filter((one) => !ids.includes(shown(one)))).toEqual([])
    const keys = listed.map(({ id, cost_usd }) =>
      sort.endsWith('cost_usd') ? `${String(cost_usd).padStart(9)} ${parseId('run', id)}` : requireId('run', id),
    )
    const ordered = keys.toSorted()
    expect(keys).toEqual(sort.startsWith('-') ? ordered.toReversed() : ordered)
  })
})

describe('running runs', () => {
  test('stand among the others by their start, and are neither repeated nor missed as they end', async () => {
    for (const sort of ['started_at', '-started_at']) {
      const org = await newOrg()
      const nowMs = Date.now()
      const times = Array.from({ length: 40 }, (_, i) => nowMs - i * 60_000)
      const running: RunRecord[] = []
      for (const [i, startedAtMs] of times.entries()) {
        const run = recordedRun({ startedAtMs, holdId: newUuid() })
        if (i % 2 === 0) await insertRecorded(server, org.id, [run])
        else {
          running.push(run)
          await insertRunning(server, org.id, { id: run.id, startedAtMs })
        }
      }
      const started = new Set(running.map(shown))
      const random = new Random(7)
      const listed = await walk(org, { sort, limit: '6' }, async () => {
        for (const run of random.some(running, 0.2)) {
          running.splice(running.indexOf(run), 1)
          await endRunning(server, org.id, run)
        }
      })
      const found = listed.map(({ started_at }) => Date.parse(started_at as string))
      expect(found).toEqual(sort === 'started_at' ? times.toReversed() : times)
      expect(listed.filter(({ id, status }) => status !== 'running' && started.has(id)).length).toBeGreaterThan(0)
      expect(listed.filter(({ status }) => status === 'running').length).toBeGreaterThan(0)
    }
  })

  test('that end while pages are read are on every page that is asked for meanwhile', async () => {
    const org = await newOrg()
    const runs = Array.from({ length: 30 }, (_, i) => recordedRun({ startedAtMs: Date.now() - i * 1_000 }))
    for (const { id, startedAtMs } of runs) await insertRunning(server, org.id, { id, startedAtMs })
    const left = [...runs]
    const ending = (async () => {
      for (let run = left.pop(); run; run = left.pop()) await endRunning(server, org.id, run)
    })()
    while (left.length > 0) expect(idsOf((await page(org, { limit: '200' })).data)).toEqual(runs.map(shown))
    await ending
  })

  test('are shown with what is known of them, and left out where cost decides', async () => {
    const org = await newOrg()
    const parent = newUuid()
    const id = await insertRunning(server, org.id, {
      reservedNano: 250_000_000n,
      request: { provider: 'openai', customer_id: 'c-1' },
      run: {
        operation: 'chat',
        chain_id: 'tree',
        parent_run_id: parent,
        depth: 2,
        tags: ['beta'],
        external_id: 'mine',
      },
    })
    const [run] = (await page(org, {})).data
    expect(run).toMatchObject({
      id: formatId('run', id),
      status: 'running',
      model: 'gpt-4o',
      provider: 'openai',
      customer_id: 'c-1',
      chain_id: 'tree',
      parent_run_id: formatId('run', parent),
      depth: 2,
      cost_usd: null,
      reserved_usd: '0.25',
      ended_at: null,
      tags: ['beta'],
    })
    expect((await get(org, `/v1/runs/${run!.id}`)).json).toEqual(run)
    for (const query of [{ sort: 'cost_usd' }, { min_cost_usd: '0' }, { max_cost_usd: '9' }, { status: 'failed' }])
      expect((await page(org, query as Record<string, string>)).data).toEqual([])
    for (const query of [{ chain_id: 'tree' }, { tag: 'beta' }, { external_id: 'mine' }, { status: 'running' }])
      expect(idsOf((await page(org, query as Record<string, string>)).data)).toEqual([run!.id])
    for (const query of [{ chain_id: 'other' }, { tag: 'bet' }, { external_id: 'my' }, { model: 'gpt' }])
      expect((await page(org, query as Record<string, string>)).data).toEqual([])
  })

  test('are only those: a reservation at the edge is none', async () => {
    const org = await newOrg()
    const decided = await call(server.url, 'POST', '/v1/edge/decision', {
      key: org.key,
      body: { model: 'gpt-4o', estimated_cost_usd: '1' },
    })
    expect(decided.status).toBe(200)
    expect((await page(org, {})).data).toEqual([])
  })
})

test('every filter, alone and together, gives what a look at every run gives', async () => {
  const seed = firstSeed()
  const random = new Random(seed)
  const org = await newOrg()
  const nowMs = Date.now()
  const some = (prefix: string, count: number) => (random.chance(0.3) ? undefined : `${prefix}-${random.int(count)}`)
  const parents = Array.from({ length: 3 }, () => newUuidAt(nowMs - 80 * dayMs))
  const about = () => ({
    model: `model-${random.int(4)}`,
    provider: some('provider', 3),
    workflow_id: some('workflow', 3),
    deployment_id: some('deployment', 3),
    department_id: some('department', 3),
    customer_id: some('customer', 4),
    chain_id: some('chain', 4),
    parent_run_id: random.chance(0.5) ? random.pick(parents) : undefined,
    tags: random.some(['a', 'b', 'ü "{,}'], 0.4),
  })
  const runs = Array.from({ length: 400 }, (_, i) =>
    recordedRun({
      startedAtMs: nowMs - random.int(80 * 24) * hourMs,
      status: random.pick(['succeeded', 'failed', 'cancelled', 'expired'] as const),
      costNano: BigInt(random.int(50)) * 100_000_000n,
      about: { ...about(), ...(i % 3 === 0 && { external_id: `mine-${i}` }) },
    }),
  )
  await insertRecorded(server, org.id, runs)
  const held: RunRecord[] = []
  for (let i = 0; i < 20; i++) {
    const { model, provider, workflow_id, deployment_id, department_id, customer_id, ...run } = about()
    const record = recordedRun({
      startedAtMs: nowMs - random.int(20) * hourMs,
      about: {
        model,
        provider,
        workflow_id,
        deployment_id,
        department_id,
        customer_id,
        ...run,
        external_id: `held-${i}`,
      },
    })
    held.push(record)
    await insertRunning(server, org.id, {
      id: record.id,
      startedAtMs: record.startedAtMs,
      request: { model, provider, workflow_id, deployment_id, department_id, customer_id },
      run: { ...run, external_id: `held-${i}` },
    })
  }
  const whole = [...runs, ...held]
  type Fits = (run: RunRecord) => boolean
  const filter = (): [string, string, Fits] => {
    const like = random.pick(whole)
    const field = random.pick([
      'model',
      'provider',
      'workflow_id',
      'deployment_id',
      'department_id',
      'customer_id',
      'chain_id',
      'external_id',
    ] as const)
    const value = like.about[field]
    const pick = random.int(8)
    if (pick === 0) return ['tag', 'ü "{,}', ({ about: { tags } }) => tags!.includes('ü "{,}')]
    if (pick === 1) return ['status', like.status, (run) => !held.includes(run) && run.status === like.status]
    if (pick === 2) return ['status', 'running', (run) => held.includes(run)]
    if (pick === 3)
      return ['min_cost_usd', formatUsd(like.costNano), (run) => !held.includes(run) && run.costNano >= like.costNano]
    if (pick === 4)
      return ['max_cost_usd', formatUsd(like.costNano), (run) => !held.includes(run) && run.costNano <= like.costNano]
    if (pick === 5) {
      const parent = random.pick(parents)
      return ['parent_run_id', formatId('run', parent), ({ about: { parent_run_id } }) => parent_run_id === parent]
    }
    return value === undefined
      ? ['model', like.about.model, (run) => run.about.model === like.about.model]
      : [field, value, (run) => run.about[field] === value]
  }
  for (let round = 0; round < 60; round++) {
    const chosen = new Map(Array.from({ length: 1 + random.int(3) }, filter).map((one) => [one[0], one] as const))
    if (random.chance(0.4)) {
      const from = nowMs - random.int(80 * 24) * hourMs
      const to = from + (1 + random.int(600)) * hourMs
      chosen.set('from', ['from', new Date(from).toISOString(), ({ startedAtMs }) => startedAtMs >= from])
      chosen.set('to', ['to', new Date(to).toISOString(), ({ startedAtMs }) => startedAtMs < to])
    }
    const query = Object.fromEntries([...chosen.values()].map(([name, value]) => [name, value]))
    if (query['min_cost_usd'] && query['max_cost_usd'] && Number(query['min_cost_usd']) > Number(query['max_cost_usd']))
      continue
    const sort = random.pick(['started_at', '-started_at', 'cost_usd', '-cost_usd'])
    const fitting = whole
      .filter((run) => [...chosen.values()].every(([, , fits]) => fits(run)))
      .filter((run) => !sort.endsWith('cost_usd') || !held.includes(run))
    const listed = await walk(org, { ...query, sort, limit: String(1 + random.int(60)) })
    const context = `seed ${seed}: ${sort} ${JSON.stringify(query)}`
    expect(idsOf(listed).toSorted(), context).toEqual(fitting.map(shown).toSorted())
    expect(new Set(idsOf(listed)).size, context).toBe(listed.length)
  }
})

describe('what is asked', () => {
  const faults = async (query: string) => faultsOf(await get(limits.acme, `/v1/runs?${query}`))
  const messageOf = ({ json }: Answer) => (json.error!.details as { fields: { message: string }[] }).fields[0]!.message

  test('is refused with every field that is wrong', async () => {
    expect(await faults('sort=model')).toEqual(['sort: unknown_sort_field'])
    expect(await faults('status=done&colour=red')).toEqual(['colour: invalid_filter', 'status: invalid_filter'])
    expect(await faults('min_cost_usd=-1&max_cost_usd=x')).toEqual([
      'max_cost_usd: invalid_filter',
      'min_cost_usd: invalid_filter',
    ])
    expect(await faults('min_cost_usd=2&max_cost_usd=1.5')).toEqual(['max_cost_usd: out_of_range'])
    expect(await faults('tag=&model=a%00b')).toEqual(['model: invalid_filter', 'tag: invalid_filter'])
    expect(await faults('limit=201')).toEqual(['limit: out_of_range'])
    expect(await faults('cursor=x')).toEqual(['cursor: invalid_value'])
  })

  test('spans at most 90 days', async () => {
    const answer = await get(limits.acme, '/v1/runs?from=2026-01-01&to=2027-01-02')
    expect(faultsOf(answer)).toEqual(['to: out_of_range'])
    expect(messageOf(answer)).toMatch(/366 days.*90 days/)
    expect(await faults('from=2020-01-01')).toEqual(['to: out_of_range'])
    expect(await faults('from=2026-02-02&to=2026-02-01')).toEqual(['to: out_of_range'])
    expect((await page(limits.acme, { from: '2020-01-01', to: '2020-02-01' })).data).toEqual([])
    expect((await page(limits.acme, { from: '0001-01-01', to: '0001-02-01' })).data).toEqual([])
    expect((await page(limits.acme, { from: new Date(Date.now() - 90 * dayMs).toISOString() })).data).toEqual([])
  })

  test('goes on with a cursor of the same order only, whether or not the order is named', async () => {
    const org = await newOrg()
    await insertRecorded(
      server,
      org.id,
      [1, 2, 3].map((i) => recordedRun({ startedAtMs: Date.now() - i * 1_000 })),
    )
    const { next } = await page(org, { limit: '1' })
    expect((await page(org, { cursor: next!, sort: '-started_at' })).data).toHaveLength(2)
    expect((await page(org, { cursor: next! })).data).toHaveLength(2)
    expect(faultsOf(await get(org, `/v1/runs?cursor=${next}&sort=started_at`))).toEqual(['cursor: invalid_value'])
  })
})

describe('one run', () => {
  test('is shown in full', async () => {
    const org = await newOrg()
    const parent = newUuid()
    const hold = newUuid()
    const maker = newUuid()
    const run = recordedRun({
      status: 'failed',
      depth: 3,
      holdId: hold,
      usage: { input_tokens: 0, output_tokens: 12 },
      costNano: 1_234_567_891n,
      costBasis: 'computed',
      reservedNano: 2_000_000_000n,
      valueNano: 5n,
      madeBy: { kind: 'key', id: maker },
      about: {
        provider: 'openai',
        operation: 'chat',
        action: 'refund',
        workflow_id: 'w',
        deployment_id: 'd',
        department_id: 'e',
        customer_id: 'c',
        user_id: 'u',
        chain_id: 'tree',
        parent_run_id: parent,
        external_id: 'x',
        tags: ['b', 'a'],
        metadata: { release: '1', n: 2, ok: true },
      },
    })
    await insertRecorded(server, org.id, [run])
    const { status, json } = await get(org, `/v1/runs/${shown(run)}`)
    expect(status).toBe(200)
    expect(json).toEqual({
      id: shown(run),
      status: 'failed',
      model: 'gpt-4o',
      provider: 'openai',
      operation: 'chat',
      action: 'refund',
      workflow_id: 'w',
      deployment_id: 'd',
      department_id: 'e',
      customer_id: 'c',
      user_id: 'u',
      chain_id: 'tree',
      parent_run_id: formatId('run', parent),
      depth: 3,
      external_id: 'x',
      key_id: formatId('key', maker),
      reservation_id: formatId('reservation', hold),
      decision_id: formatId('decision', hold),
      input_tokens: 0,
      output_tokens: 12,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      reasoning_output_tokens: null,
      usage_detail: null,
      cost_usd: '1.234567891',
      cost_basis: 'computed',
      reserved_usd: '2',
      overrun_usd: '0',
      value_usd: '0.000000005',
      tags: ['b', 'a'],
      metadata: { release: '1', n: 2, ok: true },
      started_at: new Date(run.startedAtMs).toISOString().replace('Z', '+00:00'),
      ended_at: new Date(run.endedAtMs!).toISOString().replace('Z', '+00:00'),
      expires_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await page(org, {})).data).toEqual([json])
  })

  test('of somebody else, of nobody, or of no possible name is not found', async () => {
    const org = await newOrg()
    const run = recordedRun()
    await insertRecorded(server, org.id, [run])
    const held = await insertRunning(server, org.id)
    const ids = [
      shown(run),
      formatId('run', held),
      formatId('run', newUuid()),
      formatId('run', newUuidAt(0)),
      'run_x',
      'x',
    ]
    const answers = await Promise.all(ids.map((id) => get(limits.bob, `/v1/runs/${id}`)))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 404))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await page(limits.bob, {})).data).toEqual([])
  })
})
