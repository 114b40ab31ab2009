import { Type } from 'typebox'
import {
  Closed,
  Cursor,
  CursorArgument,
  Data,
  DataOrNull,
  MoneyOrNull,
  Name,
  Rows,
  Time,
  TimeOrNull,
  Word,
  WordOrNull,
  window,
  windowQuery,
} from '../fields.ts'
import { phrase, time, usd, word } from '../phrases.ts'
import { defineTool } from '../tool.ts'

const usual = 10
const most = 25
const shownTags = 10

const Run = Closed({
  run_id: Word('The run.'),
  status: Word('running, succeeded, failed, cancelled or expired.'),
  model: Data('The model.'),
  workflow_id: DataOrNull('The workflow.'),
  deployment_id: DataOrNull('Where it ran.'),
  department_id: DataOrNull('The team.'),
  customer_id: DataOrNull('The customer.'),
  user_id: DataOrNull('The user.'),
  chain_id: DataOrNull('The chain that it is a part of.'),
  key_id: WordOrNull('The key that made it.'),
  decision_id: WordOrNull('The decision that admitted it, for explain_decision.'),
  input_tokens: Type.Union([Type.Integer(), Type.Null()]),
  output_tokens: Type.Union([Type.Integer(), Type.Null()]),
  cost_usd: MoneyOrNull('What it cost.'),
  reserved_usd: MoneyOrNull('What was held for it.'),
  overrun_usd: MoneyOrNull('What it cost above that.'),
  tags: Type.Array(Data('A tag.')),
  started_at: Time('When it began.'),
  ended_at: TimeOrNull('When it ended.'),
})

const statuses = ['running', 'succeeded', 'failed', 'cancelled', 'expired'] as const
const sorts = ['-started_at', 'started_at', '-cost_usd', 'cost_usd'] as const
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value as T[number])),
      { description },
    ),
  )

export const findRuns = defineTool({
  name: 'find_runs',
  title: 'Find runs',
  description:
    'Finds runs that started in a window of at most 90 days, newest or dearest first, by workflow, team, customer, status, tag or cost. Names and tags are what callers wrote. Needs the scope runs:read.',
  input: Closed({
    ...window,
    status: oneOf(statuses, 'Only runs with this status.'),
    workflow_id: Name('Only runs of this workflow.'),
    deployment_id: Name('Only runs of this deployment.'),
    department_id: Name('Only runs of this team.'),
    customer_id: Name('Only runs for this customer.'),
    user_id: Name('Only runs of this user.'),
    chain_id: Name('Only runs of this chain.'),
    key_id: Name('Only runs that this key made.'),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only runs with this tag.' })),
    min_cost_usd: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,10}(\\.[0-9]{1,9})?$',
        maxLength: 20,
        description: 'Only runs that cost at least this, such as 0.50.',
      }),
    ),
    sort: oneOf(sorts, 'Newest first by default; -cost_usd for the dearest.'),
    limit: Rows(most, usual),
    cursor: CursorArgument,
  }),
  output: Closed({ runs: Type.Array(Run), next_cursor: Cursor }),
  answer: async ({ api }, { limit = usual, from, to, ...filters }) => {
    const { data, next_cursor } = await api.get('/v1/runs', {
      query: { ...windowQuery({ from, to }), ...filters, limit },
    })
    const runs = data.map((run) => ({
      run_id: run.id,
      status: run.status,
      model: run.model,
      workflow_id: run.workflow_id,
      deployment_id: run.deployment_id,
      department_id: run.department_id,
      customer_id: run.customer_id,
      user_id: run.user_id,
      chain_id: run.chain_id,
      key_id: run.key_id,
      decision_id: run.decision_id,
      input_tokens: run.input_tokens,
      output_tokens: run.output_tokens,
      cost_usd: run.cost_usd,
      reserved_usd: run.reserved_usd,
      overrun_usd: run.overrun_usd,
      tags: run.tags.slice(0, shownTags),
      started_at: run.started_at,
      ended_at: run.ended_at,
    }))
    return {
      data: { runs, next_cursor },
      lines: [
        phrase`${runs.length} runs${next_cursor === null ? phrase`` : phrase`, and there may be more: pass next_cursor as cursor`}.`,
        ...runs.map(
          (run) =>
            phrase`- ${word(run.run_id)} ${word(run.status)}: model ${run.model}, workflow ${run.workflow_id}, ${run.cost_usd === null ? phrase`no cost yet` : usd(run.cost_usd)}, started ${time(run.started_at)}`,
        ),
      ],
    }
  },
})
