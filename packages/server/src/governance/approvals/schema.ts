import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { Count, Id, IdFilter, Moment, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'

export const approvalStatuses = ['pending', 'approved', 'denied', 'expired'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

const maxGrantedRuns = 100_000

export const ApprovalPath = Type.Object({ id: PathId('org'), approval_id: PathId('approval') })

const Note = Type.Optional(
  Type.String({ ...OwnId, maxLength: 500, description: 'A note for the requester and the audit log.' }),
)

export const ApproveInput = Type.Object(
  {
    max_runs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxGrantedRuns,
        default: 1,
        description: 'The number of runs that may start.',
        examples: [3],
      }),
    ),
    max_amount_usd: Type.Optional(
      Nullable({ ...Usd, description: 'The total cost of the runs. Without it, only the other limits apply.' }),
    ),
    expires_at: Type.Optional({
      ...Moment,
      description: 'The end of the grant: one day from now by default, at most 90 days.',
    }),
    note: Note,
  },
  { title: 'ApproveInput', examples: [{ max_runs: 3, max_amount_usd: '5', note: 'For the release of Friday only.' }] },
)
export type ApproveInput = Static<typeof ApproveInput>

export const DenyInput = Type.Object(
  { note: Note },
  { title: 'DenyInput', examples: [{ note: 'Use the smaller model.' }] },
)
export type DenyInput = Static<typeof DenyInput>

const Grant = Type.Object(
  {
    max_runs: Count,
    runs_started: { ...Count, description: 'The runs that were started, including running ones.' },
    max_amount_usd: Nullable(Usd),
    spent_usd: Usd,
    held_usd: Usd,
  },
  { title: 'Grant', description: 'The grant and its usage.' },
)

export const ApprovalView = Type.Object(
  {
    id: Id('approval'),
    status: OneOf(['pending', 'approved', 'denied', 'expired']),
    rule_id: Id('rule'),
    rule_name: Type.String(),
    rule_version: Count,
    reason: Type.String(),
    attempted: Type.String({ description: 'The model or action that the rule targets.', examples: ['refund'] }),
    attempt: Type.Record(Type.String(), Type.Unknown(), { description: 'The first attempt, as rules saw it.' }),
    estimated_cost_usd: Usd,
    requested_by: { ...Id('key'), description: 'The key that attempted it.' },
    decided_by: Nullable(
      Type.String({ ...Id('key'), description: 'The key that decided, or the member (`mbr_…`) who did.' }),
    ),
    decided_at: Nullable(Timestamp),
    note: Nullable(Type.String()),
    grant: Nullable(Grant),
    expires_at: {
      ...Timestamp,
      description:
        'Pending: the request expires then. Approved: runs may start until then. Denied: no new request is created until then.',
    },
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Approval', description: 'The request for approval.' },
)
export type ApprovalView = Static<typeof ApprovalView>
export const ApprovalList = ListOf(ApprovalView)
export const ApprovalListQuery = ListQuery(
  { created_at: 'time' },
  { status: Type.Enum([...approvalStatuses]), rule_id: IdFilter(['rule'], 'Only the requests of this rule.') },
)
