import { eventually } from '../../test/support/programs.ts'
import type { Installation } from './installation.ts'

type Step = (installation: Installation) => Promise<unknown> | void

/** Something that goes wrong, the alerts that must say so, and what puts it right. */
export interface Drill {
  readonly name: string
  readonly alerts: readonly string[]
  readonly cause?: Step
  /** Goes on, time and again, until the alerts fire. */
  readonly whileWrong?: Step
  /** Goes on, time and again, until all is well: before the cause, and after the cure. */
  readonly whileWell?: Step
  readonly cure?: Step
}

export interface DrillReport {
  readonly name: string
  readonly alerts: readonly string[]
  readonly firedAfterMs: number
  readonly clearedAfterMs: number
}

/** Causes something, sees the alerts fire in Prometheus, puts it right, and sees them clear. */
export async function runDrill(installation: Installation, drill: Drill): Promise<DrillReport> {
  const { name, alerts, cause, whileWrong, whileWell, cure } = drill
  const during = (step: Step | undefined, holds: (states: ReadonlyMap<string, string>) => boolean) => async () => {
    // What goes on meets the fault: that it fails is no failure of the drill.
    await attempt(step, installation).catch(() => undefined)
    return holds(await installation.prometheus.alerts())
  }
  const isFiring = during(whileWrong, (states) => alerts.every((alert) => states.get(alert) === 'firing'))
  const isQuiet = during(whileWell, (states) => !alerts.some((alert) => states.has(alert)))
  await within(`${name}: not quiet before it began`, isQuiet)
  const causedMs = performance.now()
  let curedMs: number
  try {
    await cause?.(installation)
    await within(`${name}: ${alerts.join(' and ')} did not fire`, isFiring)
  } finally {
    // Also where nothing has fired: the next drill begins with an installation that is well.
    curedMs = performance.now()
    await cure?.(installation)
  }
  await within(`${name}: ${alerts.join(' and ')} did not clear`, isQuiet)
  return { name, alerts, firedAfterMs: curedMs - causedMs, clearedAfterMs: performance.now() - curedMs }
}

const attempt = async (step: Step | undefined, installation: Installation) => step?.(installation)

async function within(what: string, holds: () => Promise<boolean>) {
  try {
    await eventually(holds, 150_000)
  } catch (error) {
    throw new Error(what, { cause: error })
  }
}
