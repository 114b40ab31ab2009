import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defences } from '../../proofs/walk-round/defences.ts'
import { search } from '../../proofs/walk-round/search.ts'
import { patient, strict } from '../../proofs/walk-round/settings.ts'
import { openSite, type Site } from '../../proofs/walk-round/site.ts'
import { useDatabase } from '../support/harness.ts'

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000))
const few = { sequences: 60, length: 14, shrinks: 0 }
const script = fileURLToPath(new URL('../../scripts/walk-round.ts', import.meta.url))
const plants = fileURLToPath(new URL('../../proofs/walk-round/source-plants.ts', import.meta.url))

describe('a hostile caller with a pinned key', () => {
  const database = useDatabase()
  let site: Site
  beforeAll(async () => {
    site = await openSite(database.name)
  })
  afterAll(() => site?.close())

  test.each([
    ['is charged', strict, false],
    ['is charged, and runs ask for more', strict, true],
    ['stays held', patient, false],
    ['stays held, and runs ask for more', patient, true],
  ])(
    'is billed no more than is booked on its key, except one hold’s overrun per run, where what nobody reports %s',
    async (_name, settings, raises) => {
      const { found } = await search(site, { ...few, seed, sequences: 8, settings, raises })
      expect(found, `seed ${seed}`).toBeUndefined()
    },
    120_000,
  )

  describe('finds the way round that is open without this:', () => {
    // The others take longer: `node scripts/walk-round.ts` shows all.
    const names = Object.keys(defences).filter((name) => defences[name]?.seed !== undefined)
    test.each(names.filter((name) => defences[name]?.off))(
      '%s',
      async (name) => {
        const { off: settings = strict, seed: from = seed } = defences[name] ?? {}
        const { found } = await search(site, { ...few, seed: from, settings })
        expect(found?.faults).not.toEqual([])
        expect(found).toBeDefined()
      },
      120_000,
    )

    // Side by side: most of their time is the start of a process.
    test.concurrent.each(names.filter((name) => defences[name]?.plants))(
      '%s',
      async (name) => {
        const numbers = { ...few, seed: defences[name]?.seed ?? seed }
        const given = Object.entries(numbers).flatMap(([option, value]) => [`--${option}`, String(value)])
        const child = spawn(
          process.execPath,
          ['--import', plants, script, ...given, '--without', name, '--database', database.name],
          { env: { ...process.env, WEIR_WITHOUT_DEFENCE: name }, stdio: ['ignore', 'ignore', 'inherit'] },
        )
        expect(await once(child, 'close')).toEqual([0, null])
      },
      240_000,
    )
  })
})
