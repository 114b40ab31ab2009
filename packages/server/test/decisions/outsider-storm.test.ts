import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOutsiderInstallation, runOutsiderStorm } from '../../proofs/outsider-storm/storm.ts'
import type { Installation } from '../../proofs/storm/installation.ts'
import { plantsOf } from '../support/plants.ts'

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000))

describe('a storm judged from outside', () => {
  let installation: Installation
  beforeAll(async () => {
    installation = await openOutsiderInstallation(3)
  })
  afterAll(() => installation?.close())

  test('runs, usage, limits, ledger, events and audit log say what every caller was told', async () => {
    const options = { seconds: 10, clients: 40, seed, weather: 'stormy' } as const
    const { faults, ...figures } = await runOutsiderStorm(installation, options)
    console.log(`outsider storm, seed ${seed}`, JSON.stringify(figures))
    expect(faults.slice(0, 40)).toEqual([])
  }, 240_000)

  describe('sees a rule that is missing:', () => {
    const plants = [
      ['hopeful-commit', 'cutting', 10, /no such run|is gone|on the record 0 times/],
      ['kept-answers-ignored', 'calm', 8, /with the key outsider-\d+: |resend was answered 500/],
      ['last-word', 'calm', 6, /status is .* instead of|_tokens is .* instead of/],
      ['settled-elsewhere', 'calm', 5, /workflow_id is "workflow-elsewhere" instead of/],
      ['lost-events', 'calm', 4, /no event tells of the run/],
    ] as const
    test.each(plantsOf(plants, seed))(
      '%s',
      async (bug, weather, seconds, message) => {
        await installation.plant(bug)
        // How much of a storm the machine lets happen in its time varies, so what one does not show the next may.
        const seen: string[] = []
        for (let storm = 0; storm < 4 && seen.length === 0; storm++) {
          const options = { seconds, clients: 40, seed: seed + storm, weather, patienceMs: 8_000 }
          const { faults } = await runOutsiderStorm(installation, options)
          seen.push(...faults.filter((fault) => message.test(fault)))
        }
        expect(seen).not.toEqual([])
      },
      600_000,
    )
  })
})
