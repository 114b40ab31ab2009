import type { AllowanceState } from './allowance-state.ts'
import type { BatchDecision, Command, Outcome } from './commands.ts'
import type { Hold } from './hold-endings.ts'
import { RaisableLedgerState } from './raises.ts'

export type {
  BatchDecision,
  ChargedItem,
  Command,
  LimitCheck,
  Movement,
  NewHold,
  Outcome,
  Room,
  SmallerHold,
} from './commands.ts'
export type { Hold } from './hold-endings.ts'

/** Raised with every change of these rules and stored with every batch, so that an old decision is explained by its own rules. */
export const decideVersion = 2

/**
 * Decides a batch of one organization, against its ledger as read under the lock. Pure: no clock, no I/O, so that live decisions,
 * ingest, replays and tests run the same rules. Commands that free an amount go first (settlements, releases, expiries), then new
 * holds and raised ones in the order in which they came; each takes all that it needs, or nothing.
 */
export function decide(
  ledger: { readonly allowances: ReadonlyMap<string, AllowanceState>; readonly holds: ReadonlyMap<string, Hold> },
  commands: readonly Command[],
  nowMs: number,
): BatchDecision {
  const ledgerState = new RaisableLedgerState(ledger, nowMs)
  const outcomes: Outcome[] = []
  const each = <T extends Command['type']>(
    types: readonly T[],
    judge: (command: Extract<Command, { type: T }>) => Outcome,
  ) => {
    for (const [i, command] of commands.entries())
      if ((types as readonly string[]).includes(command.type))
        outcomes[i] = judge(command as Extract<Command, { type: T }>)
  }
  each(['settle', 'release', 'extend'], (command) => ledgerState.end(command))
  each(['expire'], (command) => ledgerState.end(command))
  each(['hold', 'charge', 'raise'], (command) => {
    if (command.type === 'hold') return ledgerState.hold(command)
    return command.type === 'charge' ? ledgerState.charge(command) : ledgerState.raise(command)
  })
  return ledgerState.decision(outcomes)
}
