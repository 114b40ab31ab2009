import { type Static, Type } from 'typebox'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Id, Timestamp, Usd } from '../../contract/wire.ts'
import { amountFields, nextScheduleField, periodFields, rowTimes, scheduleFaults, Timezone } from '../ledger/ledger.ts'

const input = Type.Object(
  { cap_usd: Usd, timezone: Type.Optional(Timezone) },
  { title: 'SpendCapInput', examples: [{ cap_usd: '50', timezone: 'Europe/Berlin' }] },
)
export const SpendCapInput = withCheck(input, scheduleFaults)
export type SpendCapInput = Static<typeof input>

export const SpendCap = Type.Object(
  {
    id: Id('spendCap'),
    cap_usd: Usd,
    timezone: Type.String(),
    ...amountFields,
    resets_at: Computed(Timestamp),
    ...periodFields,
    ...nextScheduleField,
    ...rowTimes,
  },
  { title: 'SpendCap', description: 'The spend cap, with what is used of its day.' },
)
export type SpendCap = Static<typeof SpendCap>
