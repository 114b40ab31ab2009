import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { ProposableBudget, scopeFaults } from '../../money/budgets/budgets.ts'
import { scheduleFaults } from '../../money/ledger/ledger.ts'

export const proposalStatuses = ['pending', 'approved', 'denied', 'expired'] as const
export type ProposalStatus = (typeof proposalStatuses)[number]
export type ProposalKind = 'budget_increase' | 'budget'

export const ProposalPath = Type.Object({ id: PathId('org'), proposal_id: PathId('proposal') })
export const ProposedBudgetPath = Type.Object({ id: PathId('org'), budget_id: PathId('budget') })

const Reason = Type.String({
  ...OwnId,
  maxLength: 500,
  description: 'Why: what the person who decides reads.',
  examples: ['The backlog of November needs twice the usual calls.'],
})

export const IncreaseInput = Type.Object(
  {
    limit_usd: Type.String({
      ...Usd,
      description: 'The limit that is asked for: more than the budget has.',
      examples: ['750'],
    }),
    reason: Reason,
  },
  {
    title: 'BudgetIncreaseInput',
    examples: [{ limit_usd: '750', reason: 'The backlog of November needs twice the usual calls.' }],
  },
)
export type IncreaseInput = Static<typeof IncreaseInput>

const budgetInput = Type.Object(
  { ...ProposableBudget, reason: Reason },
  {
    title: 'BudgetProposalInput',
    examples: [
      {
        name: 'Triage',
        scope_kind: 'workflow',
        scope_id: 'triage',
        limit_usd: '50',
        period: 'day',
        reason: 'It loops at times.',
      },
    ],
  },
)
export type BudgetProposalInput = Static<typeof budgetInput>
export const BudgetProposalInput = withCheck(budgetInput, (body: BudgetProposalInput): FieldFault[] => [
  ...scopeFaults(body),
  ...scheduleFaults(body),
])

export const ProposalDecision = Type.Object(
  {
    note: Type.Optional(
      Type.String({
        ...OwnId,
        maxLength: 500,
        description: 'A note for the requester and the audit log.',
        examples: ['For November only.'],
      }),
    ),
  },
  { title: 'ProposalDecision', examples: [{ note: 'For November only.' }] },
)
export type ProposalDecision = Static<typeof ProposalDecision>

export const Proposal = Type.Object(
  {
    id: Id('proposal'),
    status: OneOf(['pending', 'approved', 'denied', 'expired']),
    kind: OneOf(['budget_increase', 'budget'], {
      description: '`budget_increase`: more for a budget that there is. `budget`: a new one.',
      examples: ['budget_increase'],
    }),
    budget_id: Nullable({ ...Id('budget'), description: 'The budget; of a new one once it is approved.' }),
    budget_name: Type.String({ examples: ['Support team'] }),
    scope_kind: Type.String({ examples: ['department'] }),
    scope_id: Nullable(Type.String({ examples: ['support'] })),
    period: Type.String({ examples: ['month'] }),
    limit_before_usd: Nullable({ ...Usd, description: 'The limit when it was asked; null for a new budget.' }),
    limit_usd: { ...Usd, description: 'The limit that is asked for.' },
    enforcement: Type.String({ examples: ['block'] }),
    timezone: Nullable(Type.String({ examples: ['Europe/Berlin'] })),
    reason: Type.String({ examples: ['The backlog of November needs twice the usual calls.'] }),
    requested_by: { ...Id('key'), description: 'The key that asked.' },
    decided_by: Nullable({ ...Id('member'), description: 'The member who decided.' }),
    decided_at: Nullable(Timestamp),
    note: Nullable(Type.String()),
    expires_at: {
      ...Timestamp,
      description: 'Pending: nobody can approve it after that. Denied: until then the same cannot be asked again.',
    },
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Proposal', description: 'The proposal, and what became of it.' },
)
export type Proposal = Static<typeof Proposal>
export const ProposalList = ListOf(Proposal)
export const ProposalListQuery = ListQuery({ created_at: 'time' }, { status: Type.Enum([...proposalStatuses]) })
