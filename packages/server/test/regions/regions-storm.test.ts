import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRegions, type Regions } from '../../proofs/regions-storm/regions.ts'
import { runRegionsStorm } from '../../proofs/regions-storm/storm.ts'

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000))

describe('a storm over two regions', () => {
  let regions: Regions
  beforeAll(async () => {
    regions = await openRegions({ eu: ['eu1'], us: ['us1'] })
  })
  afterAll(() => regions?.close())

  test('is as exact through the wrong cell as through the right one, while links are cut and cells are killed', async () => {
    const { faults, figures } = await runRegionsStorm(regions, { seconds: 6, clients: 12, seed })
    console.log(`regions storm, seed ${seed}`, JSON.stringify(figures))
    expect(faults.slice(0, 40)).toEqual([])
  }, 240_000)
})
