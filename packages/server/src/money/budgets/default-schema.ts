import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, OneOf, OwnId, PathId, Usd } from '../../contract/wire.ts'
import {
  amountFields,
  periodFields,
  rowTimes,
  scheduleFaults,
  scheduleFields,
  scheduleInput,
  thresholdsInput,
} from '../ledger/ledger.ts'
import { enforcementInput } from './schema.ts'

export const defaultScopes = ['department', 'workflow', 'deployment', 'user', 'key'] as const
export type DefaultScope = (typeof defaultScopes)[number]

const input = Type.Object(
  {
    limit_usd: Nullable(Type.String({ ...Usd, description: 'For each of them; null counts without limiting.' })),
    ...scheduleInput,
    enforcement: enforcementInput,
    thresholds: thresholdsInput,
    max_new_per_day: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        default: 1_000,
        description: 'Further new names of a day (UTC) share one allowance, so that made-up names gain nothing.',
      }),
    ),
  },
  { title: 'BudgetDefaultInput', examples: [{ limit_usd: '500', period: 'month', thresholds: [80] }] },
)
export type BudgetDefaultInput = Static<typeof input>
export const BudgetDefaultInput = withCheck(input, scheduleFaults)

export const BudgetDefault = Type.Object(
  {
    id: Id('budget'),
    scope_kind: OneOf(defaultScopes),
    limit_usd: Nullable(Usd),
    ...scheduleFields,
    enforcement: OneOf(['block', 'alert']),
    thresholds: Type.Array(Type.Integer()),
    max_new_per_day: Type.Integer(),
    ...rowTimes,
  },
  { title: 'BudgetDefault', description: 'The budget of every such scope without a budget of its own.' },
)
export type BudgetDefaultView = Static<typeof BudgetDefault>

export const BudgetDefaultList = Type.Object(
  { data: Type.Array(BudgetDefault) },
  { title: 'BudgetDefaultList', description: 'The default budgets.' },
)

export const DefaultPath = Type.Object({
  id: PathId('org'),
  scope_kind: Type.Unsafe<DefaultScope>({
    type: 'string',
    enum: [...defaultScopes],
    'x-path-id': true,
    examples: ['department'],
  }),
})

const DefaultUsage = Type.Object(
  {
    scope_id: Type.String({ examples: ['support'] }),
    limit_usd: Nullable(Usd),
    ...amountFields,
    ...periodFields,
  },
  { title: 'DefaultUsage' },
)
export type DefaultUsage = Static<typeof DefaultUsage>
export const DefaultUsageList = ListOf(DefaultUsage)
export const DefaultUsageQuery = ListQuery({ scope_id: 'text' }, { scope_id: OwnId })
