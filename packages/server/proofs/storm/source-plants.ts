import { plantInSource, type SourcePlant } from './planted-source.ts'

/**
 * Faults planted into the source of the program as it is loaded (`--import`, `WEIR_STORM_BUG`): each takes one rule away, to show that a storm
 * sees it missing. A plant that does not find the lines that make the rule ends the process: it would prove nothing.
 */

export const plants: Readonly<Record<string, readonly SourcePlant[]>> = {
  /** Takes an unknown outcome for a commit. */
  'hopeful-commit': [
    {
      file: 'decisions/lanes/commit.ts',
      rule: `throw new UnknownOutcome('the connection was lost around COMMIT', { cause: error })`,
      instead: 'return',
    },
  ],
  /** Decides anew whatever was answered before. */
  'kept-answers-ignored': [
    { file: 'decisions/lanes/org-decision.ts', rule: 'if (!row) return undefined', instead: 'return undefined' },
  ],
  /** Writes down the last request on a run, whichever of them ended it. */
  'last-word': [
    {
      file: 'decisions/lanes/org-decision.ts',
      rule: "if (outcome.type === 'ended' && !outcome.isRepeat) endings.set(outcome.hold.id, plan.ending)",
      instead: 'if (task.holdId !== undefined) endings.set(task.holdId, plan.ending)',
    },
  ],
  /** Records a settlement under the labels that it names, and charges the account of its reservation. */
  'settled-elsewhere': [
    { file: 'runs/bulk.ts', rule: 'if (!isSettlement(run)) return run', instead: 'return run' },
    {
      file: 'runs/bulk.ts',
      rule: 'about: { ...about, ...accountOf(hold), model, provider }',
      instead: 'about: { ...accountOf(hold), ...about, model, provider }',
    },
  ],
  /** Hands requests on to their cell without the key that makes them one effect. */
  'keyless-forwarding': [
    {
      file: 'regions/forwarding/message-heads.ts',
      rule: "const writtenAnew = new Set(['host',",
      instead: "const writtenAnew = new Set(['idempotency-key', 'host',",
    },
  ],
  /** Forgets some of the events. */
  'lost-events': [
    {
      file: 'decisions/lanes/run-events.ts',
      rule: '.filter(({ sign }) => sign === 1n)',
      instead: '.filter(({ sign, run }) => sign === 1n && !/[0-2]$/.test(run.id))',
    },
  ],
}

plantInSource((process.env['WEIR_STORM_BUG'] ?? '').split(' ').flatMap((name) => plants[name] ?? []))
