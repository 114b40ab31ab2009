import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { Count, Id, IdFilter, Moment, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../contract/wire.ts'

export const approvalStatuses = ['pending', 'approved', 'denied', 'expired'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

const maxGrantedRuns = 100_000

export const ApprovalPath = Type.Object({ id: PathId('org'), approval_id: PathId('approval') })

const Note = Type.Optional(Type.String({ ...OwnId, maxLength: 500, description: 'For the record, and for who asked.' }))

export const ApproveInput = Type.Object(
  {
    max_runs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxGrantedRuns,
        default: 1,
        description: 'How many runs may start.',
        examples: [3],
      }),
    ),
    max_amount_usd: Type.Optional(
      Nullable({ ...Usd, description: 'What they may cost together; without it only the other limits bind.' }),
    ),
    expires_at: Type.Optional({
      ...Moment,
      description: 'Until when; by default for a day, at most for 90 days.',
    }),
    note: Note,
  },
  { examples: [{ max_runs: 3, max_amount_usd: '5', note: 'For the release of Friday only.' }] },
)
export type ApproveInput = Static<typeof ApproveInput>

export const DenyInput = Type.Object({ note: Note }, { examples: [{ note: 'Use the smaller model.' }] })
export type DenyInput = Static<typeof DenyInput>

const Grant = Type.Object(
  {
    max_runs: Count,
    runs_started: { ...Count, description: 'Those that are running among them.' },
    max_amount_usd: Nullable(Usd),
    spent_usd: Usd,
    held_usd: Usd,
  },
  { description: 'What was granted, and what is used of it.' },
)

export const ApprovalView = Type.Object(
  {
    id: Id('approval'),
    status: OneOf(['pending', 'approved', 'denied', 'expired']),
    rule_id: Id('rule'),
    rule_name: Type.String(),
    rule_version: Count,
    reason: Type.String(),
    attempted: Type.String({ description: 'The model or action.', examples: ['refund'] }),
    attempt: Type.Record(Type.String(), Type.Unknown(), { description: 'What was attempted first, as rules saw it.' }),
    estimated_cost_usd: Usd,
    requested_by: { ...Id('key'), description: 'The key that attempted it.' },
    decided_by: Nullable(Id('key')),
    decided_at: Nullable(Timestamp),
    note: Nullable(Type.String()),
    grant: Nullable(Grant),
    expires_at: {
      ...Timestamp,
      description:
        'Pending: until when it waits. Approved: until when runs may start. Denied: until when nobody is asked again.',
    },
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { description: 'The request for approval.' },
)
export type ApprovalView = Static<typeof ApprovalView>
export const ApprovalList = ListOf(ApprovalView)
export const ApprovalListQuery = ListQuery(
  { created_at: 'time' },
  { status: Type.Enum([...approvalStatuses]), rule_id: IdFilter(['rule'], 'Only those that this rule asks for.') },
)
