import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { drillClockSkew } from '../proofs/disasters/clock-skew.ts'
import { drillDiskFull } from '../proofs/disasters/disk-full.ts'
import type { DrillOptions, DrillReport } from '../proofs/disasters/drill.ts'
import { drillFailover } from '../proofs/disasters/failover.ts'
import { drillRedisLoss } from '../proofs/disasters/redis-loss.ts'
import { drillRestore } from '../proofs/disasters/restore.ts'

/**
 * Drills of disasters: `node scripts/disaster-drill.ts [--only PART] [--seconds 20] [--callers 16] [--seed 1]` prints figures for
 * docs/disasters.md, and ends with 1 where a promise was broken. In the drills named "for comparison" decisions are lost by design: they
 * show that the others would see it.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '20' },
    callers: { type: 'string', default: '16' },
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? String(Date.now() % 1_000_000) },
    ...recordOption,
  },
})
const options: DrillOptions = {
  seconds: Number(values.seconds),
  callers: Number(values.callers),
  seed: Number(values.seed),
}
const failover = (replication: 'synchronous' | 'asynchronous', primary: 'lost' | 'returned', behindMs?: number) => () =>
  drillFailover({ ...options, replication, primary, ...(behindMs !== undefined && { behindMs }) })

const drills: Record<string, () => Promise<DrillReport>> = {
  'restore to a moment': () => drillRestore(options),
  'failover, synchronous standby': failover('synchronous', 'lost'),
  'failover, synchronous standby, the old primary returns': failover('synchronous', 'returned'),
  'for comparison: failover, asynchronous standby': failover('asynchronous', 'lost'),
  'for comparison: failover, asynchronous standby that is a second behind': failover('asynchronous', 'lost', 1_000),
  'for comparison: failover, asynchronous standby, the old primary returns': failover('asynchronous', 'returned'),
  'Redis lost': () => drillRedisLoss(options),
  'disk full': () => drillDiskFull(options),
  'clocks of processes wrong by five minutes': () => drillClockSkew({ ...options, processes: [0, 5, -5], database: 0 }),
  'clock of the database ten minutes ahead, then put right': () =>
    drillClockSkew({ ...options, processes: [0, 0], database: 10 }),
  'clock of the database ten minutes behind, then put right': () =>
    drillClockSkew({ ...options, processes: [0, 0], database: -10 }),
}

console.log(`seed ${options.seed}`)
const finish = beginProof('disasters', values.record && values.only === '')
const told: Record<string, string> = {}
let broken = 0
for (const [name, drill] of Object.entries(drills).filter(([each]) => each.includes(values.only))) {
  const { faults, ...report } = await drill()
  console.log(name, report)
  for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`)
  if (faults.length > 10) console.log(`  and ${faults.length - 10} more`)
  const figures = Object.entries(report.figures).map(([what, value]) => `${what} ${value}`)
  told[name] = figures.join(', ')
  if (faults.length > 0 && !name.startsWith('for comparison')) broken++
}
finish({ tried: Object.keys(told).length, of: 'disasters in a running installation', broken, figures: told })
if (broken > 0) process.exitCode = 1
