import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ProofRecord } from '../../../../scripts/proof/record.ts'
import { recordsFolder } from '../../../../scripts/proof/record.ts'
import type { Side } from '../../../../scripts/proof/situations.ts'
import { proofFiles, proofs } from '../../scripts/proof-page.ts'
import { root } from '../support/guide-blocks.ts'

/** The page of proofs shows what was recorded, and nothing else. */

const machine = { processor: 'A processor', cores: 2, memory_gib: 8, system: 'Linux', node: '24', load: 0.1 }
const frame = { at: '2026-11-19T10:00Z', seconds: 60, commit: '0123456789', machine }
const storm = (tried: number, broken: number): ProofRecord => ({
  ...frame,
  name: 'storm',
  command: `storm of ${tried}`,
  tried,
  of: 'decisions',
  broken,
  figures: { kills: 31, seed: 7 },
})
const pageOf = (records: Readonly<Record<string, unknown>>) => proofFiles((name) => records[name])

test('what nobody has run says so', () => {
  const files = pageOf({})
  expect(Object.keys(files)).toEqual(['docs/proof.md'])
  const page = files['docs/proof.md']!
  expect(page.match(/not recorded yet: `/g)).toHaveLength(proofs.length)
  expect(page).toContain('Not measured yet: `pnpm bench situations --record`.')
  expect(page).not.toMatch(/\d ms/)
})

test('runs of a proof add up, and one that broke a promise stands out', () => {
  const page = pageOf({ storm: [storm(1_000, 0), storm(2_500, 2)] })['docs/proof.md']!
  expect(page).toContain('| 3,500 decisions | **2** | 2026-11-19 |')
  expect(page).toContain('| `storm of 1000` | 2026-11-19 10:00 UTC | `0123456789` | 1,000 | 0 | 60 s |')
  expect(page).toContain('The last one: kills: 31; seed: 7. On 2 cores (A processor), 8 GiB')
})

test('what was measured stands beside the bare engine, with ratios and pictures', () => {
  const side = (rate: number, p50: number, p99: number): Side => ({ rate, p50, p99, refused: 0 })
  const measured = [
    {
      situation: 'one organization',
      load: '50 callers',
      sides: { weir: side(900, 40, 90), postgres: side(300, 120, 400), framework: side(1_800, 9, 30) },
    },
    {
      situation: 'one organization',
      load: '500/s',
      sides: { weir: side(500, 3, 12), postgres: side(500, 4, 24), framework: side(500, 1, 6) },
    },
  ]
  const seconds = Array.from({ length: 4 }, (_, second) => ({
    second,
    answered: second === 2 ? 0 : 10,
    failed: second === 2 ? 10 : 0,
    p99: second === 2 ? 0 : 12,
  }))
  const failover = {
    perSecond: 10,
    killedAt: 2,
    seconds,
    firstAnswer: 1.2,
    steady: 1,
    p99Before: 11,
    p99After: 12,
    admitted: 30,
    lost: 0,
  }
  const performance = {
    ...frame,
    command: 'pnpm bench situations',
    measured,
    failover,
    writes: [{ call: 'a run', wal: 8_000, disk: 3_000 }],
    memory: [{ program: 'api', moment: 'idle', mib: 300 }],
  }
  const files = pageOf({ performance })
  const page = files['docs/proof.md']!
  expect(page).toContain(
    '| one organization | 50 callers | 900/s, 40.0 / 90.0 ms | 300/s, 120 / 400 ms | 3.00 | 1,800/s, 9.00 / 30.0 ms | 0.50 |',
  )
  expect(page).toContain(
    '| one organization | 500/s | 500/s, 3.00 / 12.0 ms | 500/s, 4.00 / 24.0 ms | 0.50 | 500/s, 1.00 / 6.00 ms | 2.00 |',
  )
  expect(page).toContain('10 requests got 503 or no answer of 40')
  expect(page).toContain('30 reservations that callers were told of, the new primary lacked 0')
  for (const [path, picture] of Object.entries(files).filter(([path]) => path.endsWith('.svg'))) {
    expect(page).toContain(`(${path.replace('docs/', '')})`)
    expect(picture).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
    expect(picture).not.toMatch(/NaN|Infinity|undefined/)
  }
  expect(Object.keys(files)).toHaveLength(3)
})

test('every proof can be run for the page, and every record is of a proof', () => {
  const command = readFileSync(`${root}packages/server/scripts/prove-page.ts`, 'utf8')
  for (const { name, command: usual } of proofs) {
    expect(command).toMatch(new RegExp(`^  '?${name}'?: \\{`, 'm'))
    expect(command).toContain(usual)
  }
  const names = new Set([...proofs.map(({ name }) => name), 'performance'])
  const kept = (existsSync(recordsFolder) ? readdirSync(recordsFolder) : []).map((file) => file.replace(/\.json$/, ''))
  expect(kept.filter((name) => !names.has(name))).toEqual([])
})
