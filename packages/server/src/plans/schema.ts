import { type Static, Type } from 'typebox'
import { Count, Id, Nullable } from '../contract/wire.ts'
import { LimitName, periodFields, rowTimes } from '../ledger/ledger.ts'

export const PlanInput = Type.Object({
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
})
export type PlanInput = Static<typeof PlanInput>

const Entitlement = Type.Object({
  limit: Nullable(Count),
  used: Count,
  held: Count,
  remaining: Nullable(Count),
})
export type Entitlement = Static<typeof Entitlement>

export const Plan = Type.Object({
  id: Id('plan'),
  name: Type.String(),
  overage_policy: Type.String({ description: '`block` or `allow`.' }),
  runs: Entitlement,
  tokens: Entitlement,
  ...periodFields,
  ...rowTimes,
})
export type PlanView = Static<typeof Plan>
