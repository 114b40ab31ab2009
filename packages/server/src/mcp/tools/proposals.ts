import { Type } from 'typebox'
import type { Schemas } from '../../console/api/api.ts'
import { Closed, Data, DataOrNull, Money, MoneyOrNull, Time, Word, WordOrNull } from '../fields.ts'
import { type Plain, phrase, time, usd, word } from '../phrases.ts'
import { defineTool } from '../tool.ts'

const Proposed = Closed({
  proposal_id: Word('The proposal.'),
  status: Word('pending: it waits for a person. approved, denied or expired otherwise.'),
  kind: Word('budget_increase or budget.'),
  budget_id: WordOrNull('The budget; of a new one once it is approved.'),
  budget_name: Data('Its name.'),
  scope_kind: Word('What it is a limit on.'),
  scope_id: DataOrNull('Which one of them.'),
  period: Word('Its period.'),
  limit_before_usd: MoneyOrNull('The limit now.'),
  limit_usd: Money('The limit that is asked for.'),
  expires_at: Time('Until when it waits.'),
})

const answerOf = (proposal: Schemas['Proposal']) => ({
  data: {
    proposal: {
      proposal_id: proposal.id,
      status: proposal.status,
      kind: proposal.kind,
      budget_id: proposal.budget_id,
      budget_name: proposal.budget_name,
      scope_kind: proposal.scope_kind,
      scope_id: proposal.scope_id,
      period: proposal.period,
      limit_before_usd: proposal.limit_before_usd,
      limit_usd: proposal.limit_usd,
      expires_at: proposal.expires_at,
    },
  },
  lines: linesOf(proposal),
})

const linesOf = (proposal: Schemas['Proposal']): Plain[] => [
  phrase`Nothing has changed yet. The proposal ${word(proposal.id)} of ${usd(proposal.limit_usd)} a ${word(proposal.period)} for ${proposal.budget_name} is ${word(proposal.status)}: a person decides in the console, until ${time(proposal.expires_at)}.`,
  phrase`Look at my_limits later. Asking again returns the same proposal.`,
]

const LimitUsd = (description: string) =>
  Type.String({
    pattern: '^[0-9]{1,10}(\\.[0-9]{1,9})?$',
    maxLength: 20,
    description: `${description} US dollars, such as 500 or 0.50.`,
  })
const Why = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why, for the person who decides. Say what it is for and for how long.',
})

export const requestMoreBudget = defineTool({
  name: 'request_more_budget',
  title: 'Ask for more budget',
  description:
    'Asks people for a higher limit of a budget. It changes nothing: a person reads the reason and decides. Take the id from my_limits, and ask for what the work needs.',
  isProposal: true,
  input: Closed({
    budget_id: Type.String({ minLength: 1, maxLength: 40, description: 'The budget: `bud_…`.' }),
    limit_usd: LimitUsd('The limit that the budget should have, more than it has now.'),
    reason: Why,
  }),
  output: Closed({ proposal: Proposed }),
  answer: async ({ api }, { budget_id, ...body }) =>
    answerOf(await api.change('post', '/v1/orgs/{id}/budgets/{budget_id}/proposals', { path: { budget_id }, body })),
})

export const proposeLimit = defineTool({
  name: 'propose_limit',
  title: 'Propose a limit',
  description:
    'Proposes a new budget, for example for a workflow that spends too much. It changes nothing: a person reads the reason and decides. Try it with backtest_rule first.',
  isProposal: true,
  input: Closed({
    name: Type.String({ minLength: 1, maxLength: 100, description: 'A name for it.' }),
    scope_kind: Type.Union(
      (['org', 'workflow', 'deployment', 'department', 'user', 'key', 'provider', 'model', 'tag'] as const).map(
        (kind) => Type.Literal(kind),
      ),
      { description: 'What it is a limit on; department is the team.' },
    ),
    scope_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Which one; not with org.' })),
    limit_usd: LimitUsd('The limit of each period.'),
    period: Type.Union((['day', 'week', 'month', 'quarter', 'year'] as const).map((period) => Type.Literal(period))),
    enforcement: Type.Optional(
      Type.Union([Type.Literal('block'), Type.Literal('alert')], {
        description: 'block by default; alert only counts.',
      }),
    ),
    reason: Why,
  }),
  output: Closed({ proposal: Proposed }),
  answer: async ({ api }, body) => answerOf(await api.change('post', '/v1/orgs/{id}/proposals', { body })),
})
