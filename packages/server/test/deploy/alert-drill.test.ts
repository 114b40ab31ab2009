import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDrill } from '../../proofs/alert-drill/drill.ts'
import { drills } from '../../proofs/alert-drill/drills.ts'
import { type Installation, openInstallation } from '../../proofs/alert-drill/installation.ts'
import { hurried } from '../../proofs/alert-drill/prometheus.ts'

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

test('in a hurry every duration of the rules is a sixtieth', () => {
  expect(hurried('rate(a[5m]) > 3 unless b offset 1h')).toBe('rate(a[5000ms]) > 3 unless b offset 60000ms')
  expect(hurried('        for: 2m')).toBe('        for: 2000ms')
})
