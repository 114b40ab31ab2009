import { setTimeout as pause } from 'node:timers/promises'
import { decide, decideWell, often, whileLocked } from '../activities.ts'
import type { Drill } from '../drill.ts'

export const objectives: readonly Drill[] = [
  {
    name: 'decisions are slow',
    alerts: ['WeirDecisionLatencyFast', 'WeirDecisionLatencySlow'],
    whileWrong: (installation) => whileLocked(installation, 400, () => often(2, 2, () => decide(installation))),
    whileWell: decideWell,
  },
  {
    name: 'a few decisions fail',
    alerts: ['WeirDecisionErrorsSlow'],
    async cause(installation) {
      const { database } = installation
      await database.setOpen(false)
      for (let failed = 0; failed < 20; failed += 1) await Promise.all([decide(installation), pause(100)])
      await database.setOpen(true)
    },
    whileWrong: decide,
    whileWell: decideWell,
  },
  {
    name: 'PostgreSQL lets nobody in',
    alerts: ['WeirPostgresUnreachable', 'WeirDecisionErrorsFast'],
    cause: ({ database }) => database.setOpen(false),
    whileWrong: decide,
    whileWell: decide,
    cure: ({ database }) => database.setOpen(true),
  },
]
