import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDrill } from '../../proofs/alert-drill/drill.ts'
import { drills } from '../../proofs/alert-drill/drills/drills.ts'
import { type Installation, openInstallation } from '../../proofs/alert-drill/installation.ts'
import { hurried } from '../../proofs/alert-drill/prometheus.ts'
import { allRules } from '../support/alert-rules.ts'

/** The quickest of the drills that `scripts/alert-drill.ts` runs. */
let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation?.close())

test('a worker that dies is seen by a real Prometheus with the shipped rules, and so is its return', async () => {
  const report = await runDrill(installation, drills.find(({ name }) => name === 'the worker dies')!)
  expect(report.alerts).toContain('WeirWorkerAbsent')
})

test('every alert of the rules fires and clears in a drill', () => {
  const drilled = drills.flatMap(({ alerts }) => alerts)
  expect(drilled.toSorted()).toEqual(
    allRules()
      .flatMap(({ alert }) => alert ?? [])
      .toSorted(),
  )
  expect(new Set(drills.map(({ name }) => name)).size).toBe(drills.length)
})

test('in a hurry every duration of the rules is a sixtieth', () => {
  expect(hurried('rate(a[5m]) > 3 unless b offset 1h')).toBe('rate(a[5000ms]) > 3 unless b offset 60000ms')
  expect(hurried('        for: 2m')).toBe('        for: 2000ms')
  expect(hurried('time() - min(started) > 3600) and b > 3600')).toBe('time() - min(started) > 60) and b > 3600')
})
