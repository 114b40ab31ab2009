import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { packFaults, packFields, packInput } from '../credits/credits.ts'
import { amountFields } from '../ledger/ledger.ts'

const input = Type.Object(packInput, { title: 'TopUpInput', examples: [{ amount_usd: '500', name: 'INV-1042' }] })
export type TopUpInput = Static<typeof input>
export const TopUpInput = withCheck(input, packFaults)

export const TopUp = Type.Object(
  { id: Id('topUp'), ...packFields, created_at: Timestamp },
  { title: 'TopUp', description: 'The top-up.' },
)
export type TopUpView = Static<typeof TopUp>

export const Quota = Type.Object(
  {
    prepaid: Type.Boolean({ description: 'Without a top-up the organization is not limited by what it prepaid.' }),
    limit_usd: Nullable(Type.String({ ...Usd, description: 'The sum of all top-ups.' })),
    ...amountFields,
    period_start: Nullable(Timestamp),
    period_end: Nullable(Timestamp),
  },
  { title: 'Quota', description: 'The prepaid balance.' },
)
export type QuotaView = Static<typeof Quota>

export const TopUpPath = Type.Object({ id: PathId('org'), top_up_id: PathId('topUp') })
export const AdminTopUpPath = Type.Object({ org_id: PathId('org'), top_up_id: PathId('topUp') })
export const TopUpList = ListOf(TopUp)
export const TopUpListQuery = ListQuery({ created_at: 'time' }, {})
