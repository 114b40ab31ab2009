import { type Static, Type } from 'typebox'
import { Computed, Count, Id, Nullable, OneOf } from '../../contract/wire.ts'
import { LimitName, periodFields, rowTimes, stopFields } from '../ledger/ledger.ts'

export const PlanInput = Type.Object(
  {
    name: Type.String({ ...LimitName, examples: ['Team'] }),
    runs_per_month: Nullable(
      Type.Integer({ ...Count, description: 'null counts without limiting.', examples: [10_000] }),
    ),
    tokens_per_month: Nullable(
      Type.Integer({ ...Count, description: 'null counts without limiting.', examples: [50_000_000] }),
    ),
    overage_policy: Type.Enum(['block', 'allow'], {
      description: '`block` refuses what is above the plan; `allow` counts it.',
    }),
  },
  {
    title: 'PlanInput',
    examples: [{ name: 'Team', runs_per_month: 10_000, tokens_per_month: 50_000_000, overage_policy: 'block' }],
  },
)
export type PlanInput = Static<typeof PlanInput>

const Entitlement = Type.Object(
  { used: Count, held: Count, remaining: Nullable(Count), ...stopFields },
  { title: 'Entitlement', description: 'How much of this month’s is used.' },
)
export type Entitlement = Static<typeof Entitlement>

export const Plan = Type.Object(
  {
    id: Id('plan'),
    name: Type.String(),
    runs_per_month: PlanInput.properties.runs_per_month,
    tokens_per_month: PlanInput.properties.tokens_per_month,
    overage_policy: OneOf(['block', 'allow']),
    runs: Computed(Entitlement),
    tokens: Computed(Entitlement),
    ...periodFields,
    ...rowTimes,
  },
  { title: 'Plan', description: 'The plan, with what is used of its month.' },
)
export type PlanView = Static<typeof Plan>
