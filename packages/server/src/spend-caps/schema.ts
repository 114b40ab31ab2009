import { type Static, Type } from 'typebox'
import { withCheck } from '../contract/semantic-check.ts'
import { Id, Timestamp, Usd } from '../contract/wire.ts'
import { amountFields, nextScheduleField, periodFields, rowTimes, scheduleFaults, Timezone } from '../ledger/ledger.ts'

const input = Type.Object({ cap_usd: Usd, timezone: Type.Optional(Timezone) })
export const SpendCapInput = withCheck(input, scheduleFaults)
export type SpendCapInput = Static<typeof input>

export const SpendCap = Type.Object({
  id: Id('spendCap'),
  cap_usd: Usd,
  timezone: Type.String(),
  ...amountFields,
  resets_at: Timestamp,
  ...periodFields,
  ...nextScheduleField,
  ...rowTimes,
})
export type SpendCap = Static<typeof SpendCap>
