import { invalid } from './client.ts'
import { WeirError } from './errors.ts'

/** Calls that may be made without a reservation while Weir is away: so many, or so much, and no more until they are recorded. */
export interface AllowUpTo {
  readonly calls?: number | undefined
  readonly usd?: string | undefined
}

/** A choice of the caller: `deny` makes no call that Weir has not admitted. */
export type OnUnavailable = 'deny' | AllowUpTo

/** Lets calls go on while Weir is away, up to a number or an amount in dollars. Rules, approvals and limits are not asked for these. */
export function allowUpTo(bounds: AllowUpTo): AllowUpTo {
  if (bounds.calls === undefined && bounds.usd === undefined)
    throw invalid('onUnavailable', 'allowUpTo needs calls, usd or both.')
  if (bounds.calls !== undefined && !(Number.isInteger(bounds.calls) && bounds.calls >= 0))
    throw invalid('onUnavailable', 'calls is a whole number.')
  if (bounds.usd !== undefined) nanoUsd(bounds.usd)
  return { ...bounds }
}

/** The calls that were made without a reservation and are not recorded yet. */
export class Unreserved {
  readonly #amounts = new Map<string, bigint>()

  /** Counts a call, or throws why it may not be made. */
  admit(id: string, { calls, usd }: AllowUpTo, estimateUsd: string | undefined, cause: unknown) {
    const amount = estimateUsd === undefined ? undefined : nanoUsd(estimateUsd)
    const refuse = (reason: 'calls' | 'usd' | 'unbounded', message: string) =>
      new WeirError({ code: 'allowance_exhausted', message, details: { reason }, cause })
    if (calls !== undefined && this.#amounts.size >= calls)
      throw refuse('calls', `Weir is away, and ${calls} calls without it are the most.`)
    if (usd !== undefined) {
      if (amount === undefined) throw refuse('unbounded', 'Weir is away, and this call has no estimated_cost_usd.')
      const open = [...this.#amounts.values()].reduce((sum, one) => sum + one, 0n)
      if (open + amount > nanoUsd(usd)) throw refuse('usd', `Weir is away, and $${usd} without it are the most.`)
    }
    this.#amounts.set(id, amount ?? 0n)
  }

  /** Counts a call that an earlier process made. */
  found(id: string, usd: string) {
    this.#amounts.set(id, nanoUsd(usd))
  }

  recorded(id: string) {
    this.#amounts.delete(id)
  }
}

function nanoUsd(text: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  if (whole === '') throw invalid('usd', `${text} is no amount of dollars such as 1.50.`)
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}
