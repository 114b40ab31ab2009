import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Id, Nullable, OwnId, PathId, Usd } from '../contract/wire.ts'
import { rowTimes, scheduleFaults, scheduleInput, usageFields } from '../ledger/ledger.ts'

export const CustomerPath = Type.Object({
  id: PathId('org'),
  customer_id: Type.String({ ...OwnId, description: 'Your own id of the customer.', examples: ['customer-17'] }),
})

const limit = {
  limit_usd: Nullable(
    Type.String({ ...Usd, description: 'null is no limit, also where customers have one by default.' }),
  ),
  ...scheduleInput,
}

const input = Type.Object(limit)
export type CustomerLimitInput = Static<typeof input>
export const CustomerLimitInput = withCheck(input, scheduleFaults)

const defaultInput = Type.Object({
  ...limit,
  max_new_customers_per_day: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 10_000,
      description: 'Further new customers of a day (UTC) share one allowance, so that made-up ids get nobody more.',
    }),
  ),
})
export type CustomerDefaultInput = Static<typeof defaultInput>
export const CustomerDefaultInput = withCheck(defaultInput, scheduleFaults)

const fields = { limit_usd: Nullable(Usd), ...usageFields, ...rowTimes }

export const CustomerLimit = Type.Object({ id: Id('customerLimit'), customer_id: Type.String(), ...fields })
export type CustomerLimitView = Static<typeof CustomerLimit>

export const CustomerDefault = Type.Object({
  id: Id('customerLimit'),
  max_new_customers_per_day: Type.Integer(),
  ...fields,
})
export type CustomerDefaultView = Static<typeof CustomerDefault>

export const CustomerLimitList = ListOf(CustomerLimit)
export const CustomerLimitListQuery = ListQuery({ created_at: 'time', customer_id: 'text' })
