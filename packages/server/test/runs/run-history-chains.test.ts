import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { chainKey } from '../../src/money/chains/chains.ts'
import { inTreeOrder } from '../../src/runs/run-history/chain-tree.ts'
import { formatId, newUuidAt, requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { useLimits } from '../support/limits.ts'
import { firstSeed, Random } from '../support/random.ts'
import { insertChain, insertRecorded, insertRunning, recordedRun } from '../support/recorded-runs.ts'
import { call, tenantOf } from '../support/tenants.ts'

const server = useServer()
const limits = useLimits(server)

const chainOf = (key: string, chainId: string) =>
  call(server.url, 'GET', `/v1/chains/${encodeURIComponent(chainId)}`, { key })

async function book(org: string, chainId: string, unit: 'usd' | 'tokens', spent: bigint, held: bigint) {
  const orgId = requireId('org', org)
  await server.platform.sql.asOrgs([orgId], (tx) =>
    raw`insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, spent, held, last_seq)
        values (${orgId}, ${chainKey(chainId, unit)}, ${chainKey(chainId, 'usd')}, 'chain', ${chainId}, ${unit}, '', ${spent}, ${held}, 1)`.execute(
      tx,
    ),
  )
}

describe('a chain', () => {
  const chainId = 'müll/eins zwei?'

  test('is a tree with its bounds, what is used of them, and what each part cost', async () => {
    const org = await tenantOf(server, limits.operator)
    const nowMs = Date.now()
    const ids = Array.from({ length: 6 }, (_, i) => newUuidAt(nowMs - 60_000 + i))
    const node = (i: number, parent: number | undefined, depth: number, costNano: bigint) =>
      recordedRun({
        id: ids[i]!,
        startedAtMs: nowMs - 60_000 + i,
        depth,
        costNano,
        usage: { input_tokens: 10 * i, output_tokens: 1 },
        about: { chain_id: chainId, parent_run_id: parent === undefined ? undefined : ids[parent] },
      })
    // 0 ─ 1 ─ 3, 0 ─ 2 ─ 4 (running), 0 ─ 5
    await insertRecorded(server, org.id, [
      node(0, undefined, 1, 1_000_000_000n),
      node(1, 0, 2, 200_000_000n),
      node(2, 0, 2, 30_000_000n),
      node(3, 1, 3, 4_000_000n),
      node(5, 0, 2, 0n),
    ])
    await insertRunning(server, org.id, {
      id: ids[4]!,
      startedAtMs: nowMs - 60_000 + 4,
      reservedNano: 5_000_000n,
      run: { chain_id: chainId, parent_run_id: ids[2]!, depth: 3 },
    })
    await insertRunning(server, org.id, { run: { chain_id: 'another' } })
    await insertChain(server, org.id, { chainId, rootId: ids[0]!, maxCostNano: 2_000_000_000n, maxDepth: 4 })
    await book(org.id, chainId, 'usd', 1_234_000_000n, 5_000_000n)
    await book(org.id, chainId, 'tokens', 115n, 7n)

    const { status, json } = await chainOf(org.key, chainId)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      chain_id: chainId,
      root_run_id: formatId('run', ids[0]!),
      max_cost_usd: '2',
      max_tokens: null,
      max_depth: 4,
      spent_usd: '1.234',
      held_usd: '0.005',
      remaining_usd: '0.761',
      spent_tokens: 115,
      held_tokens: 7,
      remaining_tokens: null,
      depth: 3,
      truncated: false,
    })
    const nodes = json['nodes'] as Record<string, unknown>[]
    expect(
      nodes.map((each) => [
        ids.indexOf(requireId('run', each['id'] as string)),
        each['depth'],
        each['status'],
        each['cost_usd'],
        each['subtree_cost_usd'],
        each['tokens'],
      ]),
    ).toEqual([
      [0, 1, 'succeeded', '1', '1.234', 1],
      [1, 2, 'succeeded', '0.2', '0.204', 11],
      [3, 3, 'succeeded', '0.004', '0.004', 31],
      [2, 2, 'succeeded', '0.03', '0.03', 21],
      [4, 3, 'running', null, '0', null],
      [5, 2, 'succeeded', '0', '0', 51],
    ])
    expect(nodes[4]).toMatchObject({
      parent_run_id: formatId('run', ids[2]!),
      reserved_usd: '0.005',
      ended_at: null,
      model: 'gpt-4o',
    })
  })

  test('that nothing bounds is shown by its runs, one without runs by its bounds', async () => {
    const org = await tenantOf(server, limits.operator)
    const run = recordedRun({ about: { chain_id: 'loose' } })
    await insertRecorded(server, org.id, [run])
    expect((await chainOf(org.key, 'loose')).json).toMatchObject({
      root_run_id: formatId('run', run.id),
      max_cost_usd: null,
      remaining_usd: null,
      spent_usd: '0',
      nodes: [{ id: formatId('run', run.id), depth: 1 }],
    })
    await insertChain(server, org.id, { chainId: 'bare', rootId: run.id, maxTokens: 5n })
    expect((await chainOf(org.key, 'bare')).json).toMatchObject({ nodes: [], depth: 0, remaining_tokens: 5 })
  })

  test('of more than 1,000 runs says that it is cut', async () => {
    const org = await tenantOf(server, limits.operator)
    const nowMs = Date.now()
    const runs = Array.from({ length: 1_001 }, (_, i) =>
      recordedRun({ startedAtMs: nowMs - 10_000 + i, about: { chain_id: 'long' } }),
    )
    await insertRecorded(server, org.id, runs.slice(0, 1_000))
    expect((await chainOf(org.key, 'long')).json).toMatchObject({ truncated: false })
    await insertRecorded(server, org.id, runs.slice(1_000))
    const { json } = await chainOf(org.key, 'long')
    expect(json['truncated']).toBe(true)
    expect((json['nodes'] as { id: string }[]).map(({ id }) => id)).toEqual(
      runs.slice(0, 1_000).map(({ id }) => formatId('run', id)),
    )
  })

  test('of somebody else, of nobody, or of no possible name is not found', async () => {
    const org = await tenantOf(server, limits.operator)
    await insertRecorded(server, org.id, [recordedRun({ about: { chain_id: 'theirs' } })])
    await insertChain(server, org.id, { chainId: 'theirs', rootId: newUuidAt(Date.now()) })
    await insertRunning(server, org.id, { run: { chain_id: 'theirs' } })
    const names = ['theirs', 'nobody’s', 'x'.repeat(201), 'a\nb', '\u0080']
    const answers = await Promise.all(names.map((name) => chainOf(limits.acme.key, name)))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 404))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe('the order of a tree', () => {
  test('has each run once, after its parent, with sums that a look at every descendant gives', () => {
    const seed = firstSeed()
    const random = new Random(seed)
    for (let round = 0; round < 200; round++) {
      const count = random.between(1, 60)
      const runs = Array.from({ length: count }, (_, i) => ({
        id: `${i}`,
        // Some parents are unknown, and some runs claim to have begun each other.
        parentId: random.chance(0.8) ? `${random.int(random.chance(0.1) ? count + 5 : Math.max(1, i))}` : undefined,
        depth: null,
        costNano: BigInt(random.int(100)),
      }))
      const tree = inTreeOrder(runs)
      const place = new Map(tree.map(({ run }, i) => [run.id, i]))
      expect(place.size, `seed ${seed}`).toBe(count)
      for (const [i, { run, depth, subtreeNano }] of tree.entries()) {
        const end = tree.findIndex((other, j) => j > i && other.depth <= depth)
        const below = tree.slice(i, end < 0 ? count : end)
        expect(subtreeNano, `seed ${seed}`).toBe(below.reduce((sum, each) => sum + each.run.costNano, 0n))
        const above = depth > 1 ? place.get(run.parentId!)! : -1
        expect(above, `seed ${seed}`).toBeLessThan(i)
      }
    }
  })

  test('holds a chain as deep as it is long', () => {
    const runs = Array.from({ length: 100_000 }, (_, i) => ({
      id: `${i}`,
      parentId: i === 0 ? undefined : `${i - 1}`,
      depth: null,
      costNano: 1n,
    }))
    const tree = inTreeOrder(runs)
    expect([tree.at(-1)!.depth, tree[0]!.subtreeNano]).toEqual([100_000, 100_000n])
  })
})
