import { describe, expect, test } from 'vitest'
import { faultsOfCalls, overspentNano, recoveryOf } from '../../proofs/disasters/calls.ts'
import { drillFailover } from '../../proofs/disasters/failover.ts'
import { drillRestore } from '../../proofs/disasters/restore.ts'

/** The first drills of `scripts/disaster-drill.ts`, small; docs/disasters.md says what each promises. */

const small = { seconds: 1, callers: 4, seed: 1, apis: 1 }

test('a restore has what was acknowledged before its moment to the nano-dollar, and nothing of what came after', async () => {
  const { faults, found } = await drillRestore(small)
  expect(faults).toEqual([])
  expect(found).toEqual({
    'a key that was revoked after the moment': 200,
    'a key that was minted after the moment': 401,
    'a request from before, repeated, is the same': true,
    'a request from after, repeated, is another': true,
    'a run that was running at the moment, finished': [200, '0.25'],
    'a run that was started after the moment, finished': 404,
    'an event from before is delivered again, under its id': true,
    'heads that were logged after the moment, before the restore is recorded': 'truncated',
    'heads that were logged after the moment, once it is recorded': [1],
  })
})

test('a failover to a synchronous standby loses no decision that was admitted', async () => {
  const { faults } = await drillFailover({ ...small, replication: 'synchronous', primary: 'lost' })
  expect(faults).toEqual([])
})

describe('what callers were told, against the books', () => {
  const told = (name: string, atMs: number, costNano: bigint) => ({
    name,
    customer: 'customer-0',
    sentMs: atMs - 10,
    started: { atMs, runId: `run_${name}` },
    billedNano: costNano,
    finishSentMs: atMs + 10,
    finished: { atMs: atMs + 20, costNano },
  })
  const run = (name: string, more: object = {}) =>
    [name, { id: `run_${name}`, status: 'succeeded', cost_usd: '0.01', ...more }] as const
  const [first, second] = [told('call-0', 1_000, 10_000_000n), told('call-1', 2_000, 10_000_000n)]

  test('agrees where every run is there as it was told', () => {
    expect(faultsOfCalls([first, second], new Map([run('call-0'), run('call-1')]))).toEqual([])
  })

  test.each([
    ['a run that is lost', [run('call-0')]],
    ['a run under another id', [run('call-0'), run('call-1', { id: 'run_other' })]],
    ['a cost that differs by a nano-dollar', [run('call-0'), run('call-1', { cost_usd: '0.010000001' })]],
    ['a finish that is lost', [run('call-0'), run('call-1', { status: 'running' })]],
    ['a run that nobody sent', [run('call-0'), run('call-1'), run('call-2')]],
  ])('does not with %s', (_what, runs) => {
    expect(faultsOfCalls([first, second], new Map(runs))).toHaveLength(1)
  })

  test('before a moment agrees, and not with anything from after it', () => {
    expect(faultsOfCalls([first, second], new Map([run('call-0')]), 1_500)).toEqual([])
    expect(faultsOfCalls([first, second], new Map([run('call-0'), run('call-1')]), 1_500)).toHaveLength(1)
    expect(faultsOfCalls([first, second], new Map([run('call-0')]), 1_005)).toHaveLength(1)
  })

  test('shows whom the provider bills above the limit', () => {
    expect(overspentNano([told('call-0', 1_000, 2_000_000_000n)])).toEqual({ customers: 0, nano: 0n })
    expect(overspentNano([told('call-0', 1_000, 2_000_000_001n)])).toEqual({ customers: 1, nano: 1n })
  })

  test('is felt until every second is as good as before', () => {
    const sample = (endedMs: number, tookMs: number) => ({ endedMs, tookMs })
    const before = Array.from({ length: 100 }, (_, i) => sample(i * 10, 20))
    const after = [sample(4_500, 3_500), sample(5_200, 20), sample(6_300, 900), sample(7_200, 20), sample(8_300, 20)]
    const last = sample(9_100, 20)
    expect(recoveryOf([...before, ...after, last], 1_000)).toMatchObject({ backAfterS: 6, goodForS: 2, p99AfterMs: 20 })
    // A second without an answer is not a good one.
    expect(recoveryOf([...before, ...after.slice(0, -1), last], 1_000)).toMatchObject({ backAfterS: 8, goodForS: 0 })
  })
})
