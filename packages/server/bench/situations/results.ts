import type { Side } from '../../../../scripts/proof/situations.ts'
import type { Round } from '../support/report.ts'
import { median } from '../support/statistics.ts'

const round = (value: number, digits = 2) => Number(value.toFixed(digits))

export function sideOf(rounds: readonly Round[]): Side {
  const of = (name: keyof Round) => median(rounds.map((one) => one[name] ?? 0))
  const cpu = of('nodeMicros') + of('postgresMicros')
  return {
    rate: round(of('rate'), 0),
    p50: round(of('p50')),
    p99: round(of('p99')),
    refused: round(of('refused'), 3),
    ...(cpu > 0 && { cpu: round(cpu / 1_000, 3) }),
  }
}
