import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Count, Id, Nullable, OneOf, OwnId, PathId, Timestamp } from '../../contract/wire.ts'
import { ScopeId, scopeFaults } from '../budgets/budgets.ts'
import { LimitName, rowTimes, scopeKinds } from '../ledger/ledger.ts'

const ScopeKind = Type.Enum([...scopeKinds])

const changeable = {
  name: LimitName,
  max_runs: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'The most runs at once; 0 refuses every run.',
    examples: [10],
  }),
}

const input = Type.Object(
  {
    ...changeable,
    scope_kind: ScopeKind,
    scope_id: Type.Optional(ScopeId),
  },
  {
    title: 'ConcurrencyLimitInput',
    examples: [{ name: 'Nightly reports', scope_kind: 'workflow', scope_id: 'nightly-reports', max_runs: 10 }],
  },
)
export type ConcurrencyLimitInput = Static<typeof input>
export const ConcurrencyLimitInput = withCheck(input, (body: ConcurrencyLimitInput) => scopeFaults(body))

/** A replacement of a concurrency limit. Its scope stays: the runs that it counts belong to it. */
export const ConcurrencyLimitReplacement = Type.Object(changeable, {
  title: 'ConcurrencyLimitReplacement',
  examples: [{ name: 'Nightly reports', max_runs: 20 }],
})
export type ConcurrencyLimitReplacement = Static<typeof ConcurrencyLimitReplacement>

export const ConcurrencyLimit = Type.Object(
  {
    id: Id('concurrencyLimit'),
    name: Type.String(),
    scope_kind: OneOf(scopeKinds, { examples: ['workflow'] }),
    scope_id: Nullable(Type.String()),
    max_runs: Type.Integer({ ...Count, examples: [10] }),
    running: Computed({
      ...Count,
      description: 'Runs that count now; more than `max_runs` after it was lowered.',
      examples: [4],
    }),
    refused_count: Computed({
      ...Count,
      description: 'Number of runs it has refused since midnight UTC. Updated within a second.',
    }),
    exhausted_at: Computed(
      Nullable(
        Type.String({
          ...Timestamp,
          description: 'When it refused the first of them; null if it has refused none, or if it was changed since.',
        }),
      ),
    ),
    counts_from: Type.String({ ...Timestamp, description: 'It does not count runs that were started before.' }),
    ...rowTimes,
  },
  { title: 'ConcurrencyLimit', description: 'The concurrency limit, with the runs that it counts now.' },
)
export type ConcurrencyLimit = Static<typeof ConcurrencyLimit>

export const ConcurrencyLimitPath = Type.Object({
  id: PathId('org'),
  concurrency_limit_id: PathId('concurrencyLimit'),
})
export const ConcurrencyLimitList = ListOf(ConcurrencyLimit)
export const ConcurrencyLimitListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { scope_kind: ScopeKind, scope_id: OwnId },
)
