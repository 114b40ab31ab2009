import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../test/support/programs.ts'
import { beRefused, decide, often, openEmptyBudget, whileLocked } from '../activities.ts'
import type { Drill } from '../drill.ts'
import type { Installation } from '../installation.ts'

/** Hundreds of callers, whose ledger is free for moments only. */
const crowd = (installation: Installation) =>
  whileLocked(installation, 400, () => often(1_200, 600, () => decide(installation)))

type Org = Awaited<ReturnType<Installation['openOrg']>>
const neighbours: Org[] = []

export const decisions: readonly Drill[] = [
  {
    name: 'PostgreSQL takes no writes',
    alerts: ['WeirPostgresUnwritable'],
    cause: ({ database }) => database.setWritable(false),
    whileWrong: decide,
    cure: ({ database }) => database.setWritable(true),
  },
  {
    name: 'PostgreSQL ends a session around its commit',
    alerts: ['WeirCommitUnknown'],
    async cause(installation) {
      const { database } = installation
      await database.hold('lock table holds in share row exclusive mode')
      const decided = decide(installation)
      await eventually(async () => (await database.endSessions(`wait_event_type = 'Lock'`)) > 0)
      await database.release()
      await decided
    },
  },
  {
    name: 'PostgreSQL refuses what decisions write',
    alerts: ['WeirLaneDefect'],
    cause: ({ database }) => database.run('alter table holds add constraint defect check (false) not valid'),
    whileWrong: decide,
    cure: ({ database }) => database.run('alter table holds drop constraint defect'),
  },
  {
    name: 'a ledger is too busy',
    alerts: ['WeirLaneWaitLong', 'WeirLanesFull'],
    whileWrong: crowd,
  },
  {
    name: 'a ledger is too busy for callers in a hurry',
    alerts: ['WeirLanesTurnAway'],
    cause: ({ parts }) => parts.api.restart({ environment: { SVC_DECISION_QUEUE_TIMEOUT_MS: '100' } }),
    whileWrong: crowd,
    cure: ({ parts }) => parts.api.restart(),
  },
  {
    name: 'another process holds the same ledgers',
    alerts: ['WeirLockContention'],
    async cause({ openOrg }) {
      for (let i = 0; i < 8; i += 1) neighbours.push(await openOrg(`Neighbour ${i}`))
    },
    whileWrong: (installation) =>
      whileLocked(
        installation,
        // As long as a process that was paused may hold them.
        1_900,
        () => Promise.all(neighbours.map(({ owner }) => decide({ ...installation, owner }))),
        neighbours.map(({ orgUuid }) => orgUuid),
      ),
  },
  {
    name: 'an agent loops on a refusal',
    alerts: ['WeirRefusalsUnrecorded'],
    cause: openEmptyBudget,
    whileWrong: (installation) => Promise.all([often(40, 8, () => beRefused(installation)), pause(500)]),
  },
  {
    name: 'a model has no price',
    alerts: ['WeirUnpricedCallsRefused'],
    cause: (installation) => decide(installation, { model: 'nobody-knows-this' }),
  },
]
