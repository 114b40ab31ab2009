import { strict as assert } from 'node:assert'
import { type Delta, noDelta } from './allowance-state.ts'
import type { HoldBuilder } from './charges.ts'
import type { Command, Outcome } from './commands.ts'
import { extendedLease, type Hold } from './hold-endings.ts'
import { nothingFreed } from './ledger-changes.ts'
import { fits, LedgerState, newBuilder } from './ledger-state.ts'

type RaiseCommand = Extract<Command, { type: 'raise' }>

/** A ledger state in which holds can be raised. */
export class RaisableLedgerState extends LedgerState {
  /**
   * Decides a hold anew, for a larger charge and by the limits of now, as if it held nothing. A refusal leaves it as it is: what it
   * holds is only taken as free while it is decided.
   */
  raise(command: RaiseCommand): Outcome {
    const hold = this.holds.get(command.holdId)
    if (!hold) return { type: 'not_found' }
    if (hold.state !== 'open') return { type: 'conflict', hold }
    const own = amountsByKey(hold)
    const builder = newBuilder()
    this.freed = own
    try {
      const refusal = this.takeAll(command, builder)
      if (refusal) {
        this.stop(refusal)
        return { type: 'refused', refusal, checks: builder.checks, room: this.roomOf(command.claims) }
      }
    } finally {
      this.freed = nothingFreed
    }
    return this.replace(hold, own, command, builder)
  }

  private replace(
    hold: Hold,
    own: ReadonlyMap<string, bigint>,
    command: RaiseCommand,
    { checks, newSubjectRows }: HoldBuilder,
  ): Outcome {
    assert(
      checks.every((check) => fits(check) || check.amount <= (own.get(check.allowance.key) ?? 0n)),
      'a hold was raised above a limit',
    )
    const raised = {
      ...hold,
      expiresAtMs: extendedLease(hold, command.leaseMs, this.nowMs),
      amountNano: command.charge.usd,
      keys: checks.map(({ allowance }) => allowance.key),
      amounts: checks.map(({ amount }) => amount),
      draws: checks.map(({ draw }) => draw),
      inputs: command.inputs,
    }
    const deltas = new Map(Array.from(own, ([key, amount]): [string, Delta] => [key, { ...noDelta, held: -amount }]))
    for (const { allowance, amount, wouldRefuse } of checks) {
      const delta = deltas.get(allowance.key) ?? noDelta
      const warned = wouldRefuse ? 1n : 0n
      deltas.set(allowance.key, { ...delta, held: delta.held + amount, wouldRefuse: delta.wouldRefuse + warned })
    }
    for (const { key } of newSubjectRows) deltas.set(key, { ...noDelta, spent: 1n })
    // Unchanged rows too: a hold ends on rows, so each of its allowances needs one.
    const changes = Array.from(deltas, ([key, delta]) => ({ key, delta }))
    this.move('hold', hold, changes, command.by)
    this.changeHold(raised)
    this.raised.set(hold.id, { ...raised, checks })
    return { type: 'extended', hold: raised }
  }
}

/** The amounts of a hold, by allowance. */
function amountsByKey({ keys, amounts }: Hold): Map<string, bigint> {
  const own = new Map<string, bigint>()
  for (const [i, key] of keys.entries()) own.set(key, (own.get(key) ?? 0n) + amounts[i]!)
  return own
}
