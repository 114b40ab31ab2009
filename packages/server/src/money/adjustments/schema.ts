import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { exampleId, Moment, maxSafeInteger, OwnId } from '../../contract/wire.ts'
import { parseLimitId } from '../limit-kinds.ts'

const input = Type.Object(
  {
    limit_id: Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'A spend cap, budget, customer limit, credit pack, top-up or plan.',
      examples: ['bud_01jbsteb4peb5vskx602h9mw4q'],
    }),
    amount_usd: Type.Optional(
      Type.String({
        pattern: '^-?(0|[1-9][0-9]{0,8}|[1-8][0-9]{9})(\\.[0-9]{1,9})?$',
        maxLength: 21,
        description: 'Amount to add to the spend; negative to subtract. The spend never falls below 0.',
        examples: ['-12.5'],
      }),
    ),
    amount: Type.Optional(
      Type.Integer({
        minimum: -maxSafeInteger,
        maximum: maxSafeInteger,
        description: 'The same for a plan, in its `unit`.',
      }),
    ),
    unit: Type.Optional(Type.Enum(['runs', 'tokens'], { description: 'Of a plan.' })),
    customer_id: Type.Optional({ ...OwnId, description: 'The customer, for a customer limit.' }),
    at: Type.Optional(Type.String({ ...Moment, description: 'A time in the period to correct; by default now.' })),
    reason: Type.String({ minLength: 1, maxLength: 500, examples: ['Refund of invoice 4711'] }),
  },
  {
    title: 'AdjustmentInput',
    examples: [{ limit_id: exampleId('budget'), amount_usd: '12.5', reason: 'Spent before Weir was in place.' }],
  },
)
export type AdjustmentInput = Static<typeof input>

export const AdjustmentInput = withCheck(
  input,
  ({ limit_id, amount_usd, amount, unit, customer_id }: AdjustmentInput) => {
    const faults: FieldFault[] = []
    // An id of nothing that can be adjusted is refused as not found.
    const requires = parseLimitId(limit_id)?.kind.adjustment?.requires ?? ['amount_usd']
    for (const [field, value] of Object.entries({ amount_usd, amount, unit })) {
      const isRequired = requires.some((name) => name === field)
      if (isRequired && value === undefined)
        faults.push({ field, code: 'required', message: 'Required for this kind of limit.' })
      if (!isRequired && value !== undefined)
        faults.push({ field, code: 'invalid_value', message: 'Not allowed for this kind of limit.' })
    }
    const needsCustomer = requires.includes('customer_id')
    if (needsCustomer !== (customer_id !== undefined))
      faults.push(
        needsCustomer
          ? { field: 'customer_id', code: 'required', message: 'A customer limit is adjusted for one customer.' }
          : { field: 'customer_id', code: 'invalid_value', message: 'Only allowed for customer limits.' },
      )
    return faults
  },
)
