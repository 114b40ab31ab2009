import { setTimeout as pause } from 'node:timers/promises'
import { decide, finish, lockLedgers, often } from '../activities.ts'
import type { Drill } from '../drill.ts'
import type { Installation } from '../installation.ts'

const check = 'verify-ledgers'
const checkLedgers = ({ database }: Installation) => Promise.all([database.runJob(check), pause(1_000)])
const addToSpent = ({ database, orgUuid }: Installation, nano: number) =>
  database.run('update allowances set spent = spent + $2 where org_id = $1', [orgUuid, nano])

/** Runs whose leases are over, oldest first. */
const overdue: { readonly id: unknown; readonly startedMs: number }[] = []
const leaseMs = 1_000
/** The time after which such a run has been ended by the worker. */
const sweptMs = 6_000

export const ledger: readonly Drill[] = [
  {
    name: 'an amount in the ledger is changed by hand',
    alerts: ['WeirLedgerDrift'],
    async cause(installation) {
      const { ask, orgId, owner } = installation
      const budget = { name: 'All', scope_kind: 'org', limit_usd: '1000000', period: 'month' }
      await ask('POST', `/v1/orgs/${orgId}/budgets`, budget, owner)
      await decide(installation)
      await addToSpent(installation, 1)
    },
    whileWrong: checkLedgers,
    whileWell: checkLedgers,
    cure: (installation) => addToSpent(installation, -1),
  },
  {
    name: 'no check of the ledger comes to its end',
    alerts: ['WeirLedgerUnchecked'],
    cause: ({ database }) => database.hold('lock table ledger_checks in access exclusive mode'),
    whileWrong: checkLedgers,
    whileWell: checkLedgers,
    cure: ({ database }) => database.release(),
  },
  {
    name: 'runs are finished after their lease',
    alerts: ['WeirSettlementsLate'],
    async whileWrong(installation) {
      const { id } = await decide(installation, { lease_seconds: leaseMs / 1_000 })
      overdue.push({ id, startedMs: performance.now() })
      const [oldest] = overdue
      if (oldest && performance.now() - oldest.startedMs > leaseMs + sweptMs)
        await finish(installation, overdue.shift()!.id, { cost_usd: '0.01' })
      await pause(500)
    },
  },
  {
    name: 'calls cost more than was held',
    alerts: ['WeirOverrunGrowing'],
    async whileWrong(installation) {
      const { id } = await decide(installation)
      await finish(installation, id, { cost_usd: '1' })
      await pause(500)
    },
  },
  {
    name: 'callers leave their runs open',
    alerts: ['WeirReservationsLeftOpen'],
    async cause(installation) {
      await often(400, 32, () => decide(installation, { lease_seconds: leaseMs / 1_000 }))
      await lockLedgers(installation.database, [installation.orgUuid])
    },
    cure: ({ database }) => database.release(),
  },
]
