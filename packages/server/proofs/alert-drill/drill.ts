import { eventually } from '../../test/support/programs.ts'
import type { Drill } from './drills.ts'
import type { Installation } from './installation.ts'

export interface DrillReport {
  readonly name: string
  readonly alerts: readonly string[]
  readonly firedAfterMs: number
  readonly clearedAfterMs: number
}

/** Causes something, sees the alerts fire in Prometheus, puts it right, and sees them clear. */
export async function runDrill(installation: Installation, drill: Drill): Promise<DrillReport> {
  const { prometheus } = installation
  const isFiring = async () => {
    await drill.meanwhile?.(installation).catch(() => undefined)
    const states = await prometheus.alerts()
    return drill.alerts.every((alert) => states.get(alert) === 'firing')
  }
  const isQuiet = async () => {
    await drill.meanwhile?.(installation).catch(() => undefined)
    const states = await prometheus.alerts()
    return !drill.alerts.some((alert) => states.has(alert))
  }
  await within(`${drill.name}: not quiet before it began`, isQuiet)
  const causedMs = performance.now()
  await drill.cause(installation)
  await within(`${drill.name}: ${drill.alerts.join(' and ')} did not fire`, isFiring)
  const curedMs = performance.now()
  await drill.cure(installation)
  await within(`${drill.name}: ${drill.alerts.join(' and ')} did not clear`, isQuiet)
  const { name, alerts } = drill
  return { name, alerts, firedAfterMs: curedMs - causedMs, clearedAfterMs: performance.now() - curedMs }
}

async function within(what: string, holds: () => Promise<boolean>) {
  try {
    await eventually(holds, 150_000)
  } catch (error) {
    throw new Error(what, { cause: error })
  }
}
