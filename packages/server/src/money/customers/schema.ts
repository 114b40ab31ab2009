import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, OwnId, PathId, Usd } from '../../contract/wire.ts'
import { rowTimes, scheduleFaults, scheduleInput, thresholdsInput, usageFields } from '../ledger/ledger.ts'

export const CustomerPath = Type.Object({
  id: PathId('org'),
  customer_id: Type.String({ ...OwnId, description: 'Your own id of the customer.', examples: ['customer-17'] }),
})

const limit = {
  limit_usd: Nullable(
    Type.String({ ...Usd, description: 'null means no limit, even where customers have one by default.' }),
  ),
  ...scheduleInput,
  thresholds: thresholdsInput,
}

const input = Type.Object(limit, { title: 'CustomerLimitInput', examples: [{ limit_usd: '20', period: 'day' }] })
export type CustomerLimitInput = Static<typeof input>
export const CustomerLimitInput = withCheck(input, scheduleFaults)

const defaultInput = Type.Object(
  {
    ...limit,
    max_new_customers_per_day: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        default: 10_000,
        description: 'Further new customers of a day (UTC) share one allowance, so that made-up ids gain nothing.',
      }),
    ),
  },
  { title: 'CustomerDefaultInput', examples: [{ limit_usd: '20', period: 'day' }] },
)
export type CustomerDefaultInput = Static<typeof defaultInput>
export const CustomerDefaultInput = withCheck(defaultInput, scheduleFaults)

const fields = { limit_usd: Nullable(Usd), ...usageFields, thresholds: Type.Array(Type.Integer()), ...rowTimes }

export const CustomerLimit = Type.Object(
  { id: Id('customerLimit'), customer_id: Type.String(), ...fields },
  { title: 'CustomerLimit', description: 'The customer’s limit, with what is used of its running period.' },
)
export type CustomerLimitView = Static<typeof CustomerLimit>

export const CustomerDefault = Type.Object(
  {
    id: Id('customerLimit'),
    max_new_customers_per_day: Type.Integer(),
    ...fields,
  },
  { title: 'CustomerDefault', description: 'The limit of customers without a limit of their own.' },
)
export type CustomerDefaultView = Static<typeof CustomerDefault>

export const CustomerLimitList = ListOf(CustomerLimit)
export const CustomerLimitListQuery = ListQuery(
  { created_at: 'time', customer_id: 'text' },
  { customer_id: OwnId, period: scheduleInput.period },
)
