import { Type } from 'typebox'
import { Id, Timestamp } from '../../contract/wire.ts'
import { kind } from './kind.ts'

/** Events about benchmarks, for members only. */
export const benchmarkEvents = {
  'benchmark.published': kind(
    'The values of a period were published for a cohort that the organization has joined.',
    Type.Object({
      cohort_id: Id('cohort'),
      name: Type.String({ examples: ['Fintech, customer support'] }),
      period_start: Timestamp,
      period_end: Timestamp,
    }),
    {
      cohort_id: 'coh_01jbsteb4peb5vskx602h9mw4q',
      name: 'Fintech, customer support',
      period_start: '2026-10-01T00:00:00.000+00:00',
      period_end: '2026-11-01T00:00:00.000+00:00',
    },
  ),
}
