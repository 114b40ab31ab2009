import { setTimeout as pause } from 'node:timers/promises'
import { beRefused, openEmptyBudget } from '../activities.ts'
import type { Drill } from '../drill.ts'
import type { Installation } from '../installation.ts'

/** Records runs that differ in their workflow, so that each is counted by itself. */
const recordRuns = ({ ask, owner }: Installation, count: number) =>
  ask(
    'POST',
    '/v1/runs/bulk',
    { runs: Array.from({ length: count }, (_, i) => ({ model: 'gpt-4o', input_tokens: 1, workflow_id: `w${i}` })) },
    owner,
  )

const spanWithoutId = {
  name: 'chat',
  traceId: '',
  spanId: '',
  startTimeUnixNano: '1',
  attributes: [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } },
    { key: 'gen_ai.usage.input_tokens', value: { intValue: '10' } },
    { key: 'gen_ai.usage.output_tokens', value: { intValue: '10' } },
  ],
}

export const records: readonly Drill[] = [
  {
    name: 'the partitions of the coming days are gone',
    alerts: ['WeirPartitionsRunOut'],
    cause: ({ database }) =>
      database.run(`do $$ declare part text; begin
        for part in select inhrelid::regclass from pg_inherits where inhparent = 'decision_records'::regclass
          and right(inhrelid::regclass::text, 8) > to_char(now() at time zone 'utc' + interval '1 day', 'YYYYMMDD')
        loop execute 'drop table ' || part; end loop; end $$`),
    cure: ({ database }) => database.runJob('keep-ledger-partitions'),
  },
  {
    name: 'nobody folds usage',
    alerts: ['WeirUsageUnfolded'],
    async cause(installation) {
      const { database, orgUuid } = installation
      await database.hold(`select pg_advisory_xact_lock(hashtextextended('usage ' || $1::text, 0))`, [orgUuid])
      for (let batch = 0; batch < 4; batch += 1) await recordRuns(installation, 3_000)
    },
    whileWrong: (installation) => Promise.all([recordRuns(installation, 200), pause(300)]),
    cure: ({ database }) => database.release(),
  },
  {
    name: 'PostgreSQL is slow to store runs',
    alerts: ['WeirIngestSlow'],
    cause: ({ database }) =>
      database.run(`create function slow_disk() returns trigger language plpgsql as 'begin perform pg_sleep(2.1); return null; end';
        create trigger slow_disk after insert on runs for each statement execute function slow_disk()`),
    whileWrong: (installation) => recordRuns(installation, 1),
    cure: ({ database }) => database.run('drop trigger slow_disk on runs; drop function slow_disk'),
  },
  {
    name: 'spans have no id',
    alerts: ['WeirSpansNotRecorded'],
    cause: ({ ask, owner }) =>
      ask('POST', '/v1/otlp/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [spanWithoutId] }] }] }, owner),
  },
  {
    name: 'a job may not do what it does',
    alerts: ['WeirJobFailing'],
    cause: ({ database }) => database.run('revoke execute on function prune_chains(uuid, text, integer) from weir_app'),
    whileWrong: ({ database }) => Promise.all([database.runJob('prune-chains'), pause(1_000)]),
    cure: ({ database }) => database.run('grant execute on function prune_chains(uuid, text, integer) to weir_app'),
  },
  {
    name: 'explanations cannot be stored',
    alerts: ['WeirRecordsLost'],
    async cause(installation) {
      await openEmptyBudget(installation)
      await installation.database.run('revoke insert on decision_records from weir_app')
      await beRefused(installation)
    },
    async cure({ database }) {
      await database.run('grant insert on decision_records to weir_app')
    },
  },
]
