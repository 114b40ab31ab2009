import { validationFailed } from '../../contract/errors.ts'
import type { Refuser } from './limit-kind.ts'

/**
 * The bounds of counters. PostgreSQL counts to 2^63 − 1; the wire writes dollars below $9,000,000,000. New spending is admitted
 * up to a bound below both, so that an admitted cost can always be booked: a call may cost $1,000,000 more than was held for it.
 */

/** The largest value of an allowance's counter: what the wire can write in dollars. Anything above is not counted. */
export const maxCounter = 8_999_999_999_999_999_999n

/** The most that may be spent and held together when something new is admitted: charges, holds, adjustments, prepaid amounts. */
export const maxAdmitted = 8_000_000_000_000_000_000n

export const capCounter = (amount: bigint): bigint => (amount > maxCounter ? maxCounter : amount)

/** Refuses an amount that could not be counted, whatever limits there are. */
export const countingKind: Refuser = {
  kind: 'counting',
  refuse: ({ allowance: { unit }, isPreFlight }) =>
    validationFailed([
      {
        field: unit !== 'usd' ? 'output_tokens' : isPreFlight ? 'estimated_cost_usd' : 'cost_usd',
        code: 'out_of_range',
        message: 'The total spend would exceed the largest amount that can be counted.',
      },
    ]),
}
