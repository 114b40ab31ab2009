import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Count, Id, Nullable, OwnId, PathId, Timestamp, Usd } from '../contract/wire.ts'
import { LimitName, rowTimes, scheduleFaults, scheduleInput, usageFields } from '../ledger/ledger.ts'

const ScopeKind = Type.Enum(['org', 'workflow', 'deployment', 'department'])

const changeable = {
  name: LimitName,
  limit_usd: Nullable(Type.String({ ...Usd, description: 'null counts without limiting.' })),
  ...scheduleInput,
  enforcement: Type.Optional(
    Type.Enum(['block', 'alert'], {
      default: 'block',
      description: '`block` refuses what would pass the limit; `alert` counts what it would have refused.',
    }),
  ),
  thresholds: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
      maxItems: 10,
      uniqueItems: true,
      default: [],
      description: 'Percent of the limit, each told once per period when what is spent reaches it.',
      examples: [[50, 80, 100]],
    }),
  ),
}

const input = Type.Object({
  ...changeable,
  scope_kind: ScopeKind,
  scope_id: Type.Optional(
    Type.String({ ...OwnId, description: 'Your id of the workflow, deployment or department; not with `org`.' }),
  ),
})
export type BudgetInput = Static<typeof input>
export const BudgetInput = withCheck(input, (body: BudgetInput) => [...scopeFaults(body), ...scheduleFaults(body)])

function scopeFaults({ scope_kind, scope_id }: BudgetInput): FieldFault[] {
  if ((scope_kind === 'org') === (scope_id === undefined)) return []
  return scope_id === undefined
    ? [{ field: 'scope_id', code: 'required', message: 'This field is required.' }]
    : [{ field: 'scope_id', code: 'invalid_value', message: 'A budget of the organization has no scope_id.' }]
}

const patch = Type.Object(
  {
    name: Type.Optional(changeable.name),
    limit_usd: Type.Optional(changeable.limit_usd),
    period: Type.Optional(changeable.period),
    timezone: changeable.timezone,
    anchor: changeable.anchor,
    enforcement: changeable.enforcement,
    thresholds: changeable.thresholds,
  },
  { minProperties: 1 },
)
export type BudgetPatch = Static<typeof patch>
export const BudgetPatch = withCheck(patch, scheduleFaults)

export const Budget = Type.Object({
  id: Id('budget'),
  name: Type.String(),
  scope_kind: Type.String(),
  scope_id: Nullable(Type.String()),
  limit_usd: Nullable(Usd),
  ...usageFields,
  enforcement: Type.String({ description: '`block` or `alert`.' }),
  thresholds: Type.Array(Type.Integer()),
  would_refuse_count: Type.Integer({
    ...Count,
    description: 'How many decisions of this period an `alert` budget would have refused.',
  }),
  counts_from: Type.String({ ...Timestamp, description: 'A budget knows nothing of what was spent before.' }),
  ...rowTimes,
})
export type BudgetView = Static<typeof Budget>

export const BudgetPath = Type.Object({ id: PathId('org'), budget_id: PathId('budget') })
export const BudgetList = ListOf(Budget)
export const BudgetListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { scope_kind: ScopeKind, scope_id: OwnId },
)
