import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Moment, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { parseUsd } from '../../values/money.ts'
import { LimitName, rowTimes, stopFields } from '../ledger/ledger.ts'

export const packInput = {
  amount_usd: Type.String({ ...Usd, description: 'More than 0.' }),
  name: Type.Optional(Type.String({ ...LimitName, description: 'A reference of your own.', examples: ['INV-1042'] })),
}

export const packFaults = ({ amount_usd }: { amount_usd: string }): FieldFault[] =>
  parseUsd(amount_usd) > 0n ? [] : [{ field: 'amount_usd', code: 'out_of_range', message: 'This must be above 0.' }]

const input = Type.Object(
  {
    ...packInput,
    priority: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000, default: 100, description: 'Lower ones are drawn first.' }),
    ),
    expires_at: Type.Optional(Type.String({ ...Moment, description: 'From then on nothing more is drawn.' })),
  },
  { title: 'CreditPackInput', examples: [{ amount_usd: '100', name: 'INV-1042' }] },
)
export type CreditPackInput = Static<typeof input>
export const CreditPackInput = withCheck(input, packFaults)

export const packFields = {
  name: Nullable(Type.String()),
  amount_usd: Usd,
  spent_usd: Usd,
  held_usd: Usd,
  remaining_usd: Type.String({ ...Usd, description: 'What can still be drawn.' }),
  refused_count: {
    ...stopFields.refused_count,
    description: 'How many calls all packs together have refused while this was the newest of them.',
  },
  exhausted_at: stopFields.exhausted_at,
}

export const packStates = ['active', 'depleted', 'expired', 'voided'] as const

export const CreditPack = Type.Object(
  {
    id: Id('creditPack'),
    customer_id: Type.String(),
    ...packFields,
    priority: Type.Integer(),
    expires_at: Nullable(Timestamp),
    status: OneOf(['active', 'depleted', 'expired', 'voided']),
    voided_at: Nullable(Timestamp),
    ...rowTimes,
  },
  { title: 'CreditPack', description: 'The credit pack, with what is left of it.' },
)
export type CreditPackView = Static<typeof CreditPack>

export const PackPath = Type.Object({ id: PathId('org'), pack_id: PathId('creditPack') })
export const CreditPackList = ListOf(CreditPack)
const status = Type.Enum([...packStates])
export const CreditPackListQuery = ListQuery({ created_at: 'time' }, { status })
export const OrgPackListQuery = ListQuery({ created_at: 'time' }, { customer_id: OwnId, status })
export type PackState = (typeof packStates)[number]
