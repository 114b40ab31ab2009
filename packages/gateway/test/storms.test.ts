import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAbortStorm } from '../proofs/abort-storm/storm.ts'
import { runLimitStorm } from '../proofs/limit-storm/storm.ts'
import { openSite, type Site } from '../proofs/support/site.ts'

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000))

let site: Site
beforeAll(async () => {
  site = await openSite({ apis: 2, gateways: 2 })
})
afterAll(() => site?.close())

test('while gateways, Weir and PostgreSQL are killed, no budget is passed, and every nano-dollar that was billed is charged', async () => {
  const { faults, worstRatio, checkThenCharge, outcomes } = await runLimitStorm(site, {
    clients: 64,
    calls: 400,
    budgets: 1,
    seed,
    gatewayKillsEveryMs: [500, 2_500],
    crashes: 1,
    seconds: 60,
  })
  expect(faults).toEqual([])
  expect(worstRatio).toBeLessThanOrEqual(1)
  expect(outcomes['402']).toBeGreaterThan(0)
  // The same load shows that the books would tell.
  expect(checkThenCharge).toBeGreaterThan(1)
})

test('callers that hang up stop the provider where that stops the billing, and pay for what they got', async () => {
  const report = await runAbortStorm(site, { streams: 40, atOnce: 20, seed })
  expect(report).toMatchObject({ unheard: 0, wronglyStopped: 0 })
  // What a provider generates before it hears of it is judged by time, and so is reasoning that it hides: a
  // machine that pauses gives it more.
  expect(report.short.filter(({ heardMs, hides }) => heardMs < 100 && !hides)).toEqual([])
  expect(report.dropped).toBeGreaterThan(20)
})
