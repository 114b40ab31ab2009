import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery, windowFilters } from '../../contract/lists.ts'
import { checkOf, withCheck } from '../../contract/semantic-check.ts'
import { Count, Id, IdFilter, MadeByFilter, Nullable, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { dimensionFields, ExternalId, Model, Provider, Run, runStatuses, Tags } from '../../records/run-log/run-log.ts'
import { parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'

export const RunPath = Type.Object({ run_id: PathId('run') })

export const RunList = ListOf(Run)

/** The time inside an id is the run's start, so that ids sort by time, and no two runs have the same position. */
const sorts = { started_at: 'uuid', cost_usd: 'integer' } as const
export type RunSort = keyof typeof sorts
export const newestFirst = '-started_at'

const { workflow_id, deployment_id, department_id, customer_id, user_id } = dimensionFields

const listed = ListQuery(sorts, {
  ...windowFilters,
  model: Model,
  provider: Provider,
  status: Type.Enum([...runStatuses]),
  workflow_id,
  deployment_id,
  department_id,
  customer_id,
  user_id,
  chain_id: Type.String({ ...OwnId, description: 'Runs of this chain.' }),
  tag: { ...Tags.items, description: 'Runs that have this tag.' },
  external_id: { ...ExternalId, description: 'The run with this id of your own.' },
  key_id: MadeByFilter('Runs that this key, or support grant, made.'),
  parent_run_id: IdFilter(['run'], 'Runs that this one began.'),
  min_cost_usd: Type.String({ ...Usd, description: 'Ended runs that cost at least this much.' }),
  max_cost_usd: Type.String({ ...Usd, description: 'Ended runs that cost at most this much.' }),
})

export type RunListQuery = Static<typeof listed>

const checkList = present(checkOf(listed))

/** Newest first by default: the last runs are asked for most. */
export const RunListQuery = withCheck(
  Type.Object(
    { ...listed.properties, sort: Type.Optional({ ...listed.properties.sort, default: newestFirst }) },
    { 'x-filter': true },
  ),
  (query: RunListQuery) => [...checkList({ sort: newestFirst, ...query }), ...costFaults(query)],
)

const costFaults = ({ min_cost_usd, max_cost_usd }: RunListQuery): FieldFault[] =>
  min_cost_usd === undefined || max_cost_usd === undefined || parseUsd(min_cost_usd) <= parseUsd(max_cost_usd)
    ? []
    : [{ field: 'max_cost_usd', code: 'out_of_range', message: 'This must not be less than min_cost_usd.' }]

/** The id of a chain is its caller's own; one that no chain can have is not found. */
export const ChainPath = Type.Object({
  chain_id: Type.String({
    ...OwnId,
    'x-path-id': true,
    description: 'Your own id of the chain.',
    examples: ['ticket-8812'],
  }),
})

const ChainNode = Type.Object(
  {
    id: Id('run'),
    parent_run_id: Nullable(Id('run')),
    depth: Type.Integer({ ...Count, description: '1 for a run without a parent.' }),
    status: Run.properties.status,
    model: Type.String({ examples: ['gpt-4o'] }),
    operation: Nullable(Type.String({ examples: ['chat'] })),
    cost_usd: Nullable({ ...Usd, description: 'null while it runs.' }),
    reserved_usd: Nullable({ ...Usd, description: 'What was reserved before it ran.' }),
    tokens: Nullable({ ...Count, description: 'Input and output together; null while it runs.' }),
    subtree_cost_usd: { ...Usd, description: 'Of the run and of all runs below it that have ended.' },
    started_at: Timestamp,
    ended_at: Nullable(Timestamp),
  },
  { title: 'ChainNode' },
)
export type ChainNode = Static<typeof ChainNode>

export const Chain = Type.Object(
  {
    chain_id: Type.String(),
    root_run_id: Nullable(Id('run')),
    max_cost_usd: Nullable({ ...Usd, description: 'null does not limit.' }),
    max_tokens: Nullable(Count),
    max_depth: Nullable(Count),
    spent_usd: { ...Usd, description: 'By all runs of the chain, also by those that are no longer shown.' },
    held_usd: { ...Usd, description: 'Reserved for runs that are running now.' },
    remaining_usd: Nullable(Usd),
    spent_tokens: Count,
    held_tokens: Count,
    remaining_tokens: Nullable(Count),
    depth: { ...Count, description: 'How deep the tree is.' },
    refused_count: {
      ...Count,
      description:
        'How many of its runs were refused in the last 30 days, whatever refused them; `GET …/refusals?chain_id=` lists them.',
    },
    exhausted_at: Nullable({
      ...Timestamp,
      description: 'When one of its own limits first refused a run in the last 30 days; null where none has.',
    }),
    nodes: Type.Array(ChainNode, {
      description:
        'The tree in the order in which it is drawn: every run is followed by the runs below it, those of one parent by their start. At most the first 1,000 runs.',
    }),
    truncated: Type.Boolean({
      description: 'There are more runs than are shown; `depth` and `subtree_cost_usd` count those that are.',
    }),
    created_at: Timestamp,
    updated_at: { ...Timestamp, description: 'When it was last used.' },
  },
  { title: 'Chain', description: 'The chain and its runs as a tree.' },
)
export type Chain = Static<typeof Chain>
