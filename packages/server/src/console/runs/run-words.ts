import type { Schemas } from '../api/api.ts'
import { type BadgeKind, badge, type IconName, type Markup } from '../components/components.ts'

export type ShownRun = Schemas['Run']

interface RunState {
  readonly text: string
  readonly kind: BadgeKind
  readonly iconName?: IconName
}

const states: Readonly<Record<string, RunState>> = {
  running: { text: 'Running', kind: 'info' },
  succeeded: { text: 'Succeeded', kind: '' },
  failed: { text: 'Failed', kind: 'stop', iconName: 'no' },
  cancelled: { text: 'Cancelled', kind: 'line' },
  expired: { text: 'Never reported', kind: 'warn', iconName: 'clock' },
}

/** Returns the state of a run in words. */
export const runStateText = (status: string): string => states[status]?.text ?? status

/** The state of a run. */
export function runBadge(status: string): Markup {
  const state = states[status]
  return badge(state?.text ?? status, state?.kind ?? '', state?.iconName)
}

/** States of runs, to choose from. */
export const runStateChoices: readonly (readonly [string, string])[] = Object.entries(states).map(
  ([status, { text }]) => [status, text],
)

/** Returns what a run is called: what it does, or its model. */
export const runName = ({
  operation,
  action,
  model,
}: Pick<ShownRun, 'operation' | 'model'> & { action?: string | null }) => operation ?? action ?? model

/** Returns how long a run took; undefined while it runs. */
export const runMs = ({
  started_at: from,
  ended_at: to,
}: Pick<ShownRun, 'started_at' | 'ended_at'>): number | undefined =>
  to === null ? undefined : Math.max(0, Date.parse(to) - Date.parse(from))
