import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { checkOf, withCheck } from '../../contract/semantic-check.ts'
import { Count, Nullable, OwnId, Timestamp } from '../../contract/wire.ts'

/** Cursors here are longer than those of most lists: a name has 200 characters of up to four bytes each. */
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
        description: 'Only the projection for this number of teams; by default those for 1 to 10.',
        examples: [12],
      }),
    ),
  },
  { 'x-filter': true },
)
export type LinearQuery = Static<typeof query>
export const LinearQuery = withCheck(query, (asked: LinearQuery) => checkOf(listed)!(asked))

/** The schema of an amount that may be negative, with a leading `-`. */
const Dollars = (description: string, example: string) =>
  Type.String({
    pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]{1,9})?$',
    description: `${description} US dollars as a decimal string of up to nine decimals, with a leading \`-\` below zero.`,
    examples: [example],
  })

const Projection = Type.Object(
  {
    team_count: Count,
    return_usd: Dollars('The return of this number of teams over a period as long as the window.', '210'),
  },
  { title: 'Projection' },
)

const DeploymentReturn = Type.Object(
  {
    deployment_id: Nullable(
      Type.String({ description: '`null` for runs that named no deployment.', examples: ['checkout'] }),
    ),
    runs: { ...Count, description: 'The finished runs of the window.' },
    team_count: { ...Count, description: 'The number of departments that these runs named; 1 when they named none.' },
    value_usd: Dollars('The reported value of the runs.', '150.5'),
    cost_usd: Dollars('The cost of the runs.', '45.5'),
    return_usd: Dollars('Value less cost.', '105'),
    return_per_team_usd: Dollars('The return divided by the teams.', '35'),
    projections: Type.Array(Projection),
  },
  { title: 'DeploymentReturn' },
)
export type DeploymentReturn = Static<typeof DeploymentReturn>

export const LinearForecast = Type.Object(
  {
    ...ListOf(DeploymentReturn).properties,
    method: Type.String({ description: 'The method of the projection.', examples: ['linear'] }),
    from: { ...Timestamp, description: 'The start of the window, in which the counted runs started.' },
    to: { ...Timestamp, description: 'The exclusive end of the window: the end of the current day in UTC.' },
  },
  { title: 'LinearForecast', description: 'The projected returns.' },
)
export type LinearForecast = Static<typeof LinearForecast>
