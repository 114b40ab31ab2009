import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { checkOf, withCheck } from '../contract/semantic-check.ts'
import { Count, Nullable, OwnId, Timestamp } from '../contract/wire.ts'

/** Names of 200 characters, each up to four bytes, make a longer position than most lists have. */
const maxCursorLength = 2_048
const maxTeams = 10_000

const listed = ListQuery(
  { deployment_id: 'text' },
  { deployment_id: Type.String({ ...OwnId, description: 'Only this deployment.' }) },
  'text',
)
const query = Type.Object(
  {
    ...listed.properties,
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: maxCursorLength, description: '`next_cursor` of the page before.' }),
    ),
    team_count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxTeams,
        description: 'Only the projection for so many teams; without it, those for 1 to 10.',
        examples: [12],
      }),
    ),
  },
  { 'x-filter': true },
)
export type LinearQuery = Static<typeof query>
export const LinearQuery = withCheck(query, (asked: LinearQuery) => checkOf(listed)!(asked))

/** A return below zero has a leading `-`, as sums have everywhere. */
const Dollars = (description: string, example: string) =>
  Type.String({
    pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]{1,9})?$',
    description: `${description} US dollars as a decimal string of up to nine decimals, with a leading \`-\` below zero.`,
    examples: [example],
  })

const Projection = Type.Object({
  team_count: Count,
  return_usd: Dollars('The return of so many teams over as many days as the window has.', '210'),
})

const DeploymentReturn = Type.Object({
  deployment_id: Nullable(Type.String({ description: 'Null for runs that named none.', examples: ['checkout'] })),
  runs: { ...Count, description: 'Runs of the window that have ended.' },
  team_count: { ...Count, description: 'The departments that these runs named; 1 where they named none.' },
  value_usd: Dollars('What the runs were worth, as reported.', '150.5'),
  cost_usd: Dollars('What they cost.', '45.5'),
  return_usd: Dollars('Value less cost.', '105'),
  return_per_team_usd: Dollars('The return divided by the teams.', '35'),
  projections: Type.Array(Projection),
})
export type DeploymentReturn = Static<typeof DeploymentReturn>

export const LinearForecast = Type.Object(
  {
    ...ListOf(DeploymentReturn).properties,
    method: Type.String({ description: 'How the return is projected.', examples: ['linear'] }),
    from: { ...Timestamp, description: 'Where the window begins whose runs count, by when they started.' },
    to: { ...Timestamp, description: 'Where it ends, not included: the end of the running day in UTC.' },
  },
  { description: 'The projected returns.' },
)
export type LinearForecast = Static<typeof LinearForecast>
