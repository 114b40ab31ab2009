import { Counter } from 'prom-client'
import type { Metrics } from '../../platform/infra/metrics.ts'

export const countSignIns = (metrics: Metrics) =>
  new Counter({
    name: 'svc_sign_ins_total',
    help: 'Sign-ins, by the way in and by outcome.',
    labelNames: ['way', 'outcome'],
    registers: [metrics],
  })
