import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Count, Id, Moment, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { LimitName, rowTimes, scheduleFaults, scheduleInput, thresholdsInput, usageFields } from '../ledger/ledger.ts'
import { pastFaults } from './past-faults.ts'
import { ScopeId, scopeFaults } from './scope.ts'

const parts = ['workflow', 'deployment', 'department', 'user', 'key', 'provider', 'model', 'tag'] as const
const ScopeKind = Type.Enum(['org', ...parts])
const AndScopeKind = Type.Enum([...parts, 'customer'])

const Enforcement = Type.Enum(['block', 'alert'])

export const enforcementInput = Type.Optional(
  Type.Enum(['block', 'alert'], {
    default: 'block',
    description:
      '`block` refuses a call that would exceed the limit; `alert` counts the calls that it would have refused.',
  }),
)

const changeable = {
  name: LimitName,
  limit_usd: Nullable(Type.String({ ...Usd, description: 'null counts without limiting.' })),
  ...scheduleInput,
  enforcement: enforcementInput,
  thresholds: thresholdsInput,
}

const andInput = {
  and_scope_kind: Type.Optional({
    ...AndScopeKind,
    description: 'The kind of a second scope: the budget then counts what is in both.',
  }),
  and_scope_id: Type.Optional({ ...ScopeId, description: 'The id of the second scope, as `scope_id`.' }),
}

const input = Type.Object(
  {
    ...changeable,
    scope_kind: ScopeKind,
    scope_id: Type.Optional(ScopeId),
    ...andInput,
    counts_from: Type.Optional({
      ...Moment,
      description:
        'A time in the running period, on a quarter of an hour: what runs that started since have cost counts as spent, from usage. By default now. Not for tags and customers, by which usage is not kept together with other names.',
      examples: [],
    }),
  },
  {
    title: 'BudgetInput',
    examples: [
      {
        name: 'Support team',
        scope_kind: 'department',
        scope_id: 'support',
        limit_usd: '500',
        period: 'month',
        timezone: 'Europe/Berlin',
        thresholds: [80, 100],
      },
    ],
  },
)
export type BudgetInput = Static<typeof input>
export const BudgetInput = withCheck(input, (body: BudgetInput) => [
  ...scopesFaults(body),
  ...scheduleFaults(body),
  ...pastFaults(body),
])

export const ProposableBudget = {
  name: LimitName,
  scope_kind: ScopeKind,
  scope_id: Type.Optional(ScopeId),
  limit_usd: Type.String({ ...Usd, description: 'The limit of each period.' }),
  period: scheduleInput.period,
  timezone: scheduleInput.timezone,
  enforcement: enforcementInput,
}

type Scopes = Pick<BudgetInput, 'scope_kind' | 'scope_id' | 'and_scope_kind' | 'and_scope_id'>

/** Field errors of the scopes of a budget. */
function scopesFaults({ scope_kind, scope_id, and_scope_kind, and_scope_id }: Scopes): FieldFault[] {
  const first = scopeFaults({ scope_kind, scope_id })
  if (and_scope_kind === undefined)
    return and_scope_id === undefined
      ? first
      : [...first, { field: 'and_scope_kind', code: 'required', message: 'This field is required.' }]
  const second = scopeFaults({ scope_kind: and_scope_kind, scope_id: and_scope_id }, 'and_')
  const isSound = scope_kind !== 'org' && scope_kind !== and_scope_kind
  const message = 'Two scopes are of different kinds, and neither is the organization.'
  return [
    ...first,
    ...second,
    ...(isSound ? [] : [{ field: 'and_scope_kind', code: 'invalid_value' as const, message }]),
  ]
}

const key = Type.Object(
  {
    scope_kind: { ...ScopeKind, examples: ['department'] },
    scope_id: Type.Optional({ ...ScopeId, examples: ['support'] }),
    // Without examples: one of them alone says nothing.
    and_scope_kind: Type.Optional({ ...andInput.and_scope_kind, examples: [] }),
    and_scope_id: Type.Optional({ ...andInput.and_scope_id, examples: [] }),
    period: { ...scheduleInput.period, examples: ['month'] },
  },
  { title: 'BudgetKey' },
)
export type BudgetKey = Static<typeof key>
/** Identifies a budget by its scope and period. */
export const BudgetKey = withCheck(key, scopesFaults)

const { period: _key, ...own } = changeable
const replacement = Type.Object(own, {
  title: 'ScopedBudgetInput',
  examples: [{ name: 'Support team', limit_usd: '500', timezone: 'Europe/Berlin', thresholds: [80, 100] }],
})
export type ScopedBudgetInput = Static<typeof replacement>
export const ScopedBudgetInput = withCheck(replacement, scheduleFaults)

const whole = Type.Object(changeable, {
  title: 'BudgetReplacement',
  examples: [{ name: 'Support team', limit_usd: '750', period: 'month', timezone: 'Europe/Berlin' }],
})
export type BudgetReplacement = Static<typeof whole>
/** A replacement of a budget. Its scope stays: the spend that was counted belongs to it. */
export const BudgetReplacement = withCheck(whole, scheduleFaults)

export const Budget = Type.Object(
  {
    id: Id('budget'),
    name: Type.String(),
    scope_kind: OneOf(['org', ...parts], { examples: ['department'] }),
    scope_id: Nullable(Type.String()),
    and_scope_kind: Nullable(OneOf([...parts, 'customer'], { examples: ['model'] })),
    and_scope_id: Nullable(Type.String({ examples: ['gpt-4o'] })),
    limit_usd: Nullable(Usd),
    ...usageFields,
    enforcement: OneOf(['block', 'alert']),
    thresholds: Type.Array(Type.Integer()),
    would_refuse_count: Computed(
      Type.Integer({
        ...Count,
        description: 'How many decisions of this period an `alert` budget would have refused.',
      }),
    ),
    counts_from: Type.String({
      ...Timestamp,
      description: 'A budget does not count what runs cost that started before.',
    }),
    ...rowTimes,
  },
  { title: 'Budget', description: 'The budget, with what is used of its running period.' },
)
export type BudgetView = Static<typeof Budget>

export const BudgetPath = Type.Object({ id: PathId('org'), budget_id: PathId('budget') })
export const BudgetList = ListOf(Budget)
export const BudgetListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { scope_kind: ScopeKind, scope_id: OwnId, period: scheduleInput.period, enforcement: Enforcement },
)
