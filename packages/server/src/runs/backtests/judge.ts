import {
  fromStoredAttempt,
  judgeAttempt,
  type Rule,
  type RuleDraft,
  type RuleSet,
} from '../../governance/policies/policies.ts'
import { formatId } from '../../values/id.ts'
import { Agreement } from './agreement.ts'
import { replayLimit } from './limit-replay.ts'
import type { RecordedRefusal, StoredRun } from './queries.ts'
import type { RuleRef, RunJudgement } from './report.ts'
import type { DraftLimit } from './schema.ts'
import { attemptOfRun, type KnownKeys } from './stored-runs.ts'

/** The subject of a test: the live rules, a draft of rules, or a draft of a limit. */
export type TestSubject =
  | { readonly kind: 'live'; readonly set: RuleSet }
  | ({ readonly kind: 'rules' } & RuleDraft)
  | { readonly kind: 'limit'; readonly limit: DraftLimit }

/** The decision of the tested rules on an attempt that was refused. */
export type ReplayedOutcome = 'allowed' | 'refused' | 'failed'

/** The evaluator of a test: for runs and, when rules are tested, for recorded refusals. */
export interface BacktestJudge {
  /** The number of runs that are judged in one step. */
  readonly step: number
  readonly runs: (some: readonly StoredRun[], keys: KnownKeys) => readonly RunJudgement[]
  readonly refusal?: (refusal: RecordedRefusal) => ReplayedOutcome
  readonly agreement?: Agreement
  readonly ruleRefOf: (rule: Rule | null) => RuleRef
}

export function createJudge(tested: TestSubject): BacktestJudge {
  if (tested.kind === 'limit') {
    const charge = replayLimit(tested.limit)
    return {
      step: 200,
      runs: (some) => charge(some).map((outcome) => ({ outcome, rule: null })),
      ruleRefOf: () => ({ rule_id: null, index: null, rule_name: null }),
    }
  }
  const { set } = tested
  const positions = tested.kind === 'rules' ? tested.positions : undefined
  const agreement = tested.kind === 'live' ? new Agreement(set.version) : undefined
  const judgeRun = (run: StoredRun, keys: KnownKeys): RunJudgement => {
    const isOurs = agreement?.covers(run.admission) === true
    const verdict = judgeAttempt(set, attemptOfRun(run, keys, isOurs))
    agreement?.run(run, verdict)
    const { outcome, rule } = verdict
    const isApproved = isOurs && outcome === 'require_approval' && run.admission?.approval_id !== undefined
    return { outcome: isApproved ? 'approved' : outcome, rule }
  }
  return {
    // Evaluating a thousand rules may take a millisecond.
    step: 1,
    runs: (some, keys) => some.map((run) => judgeRun(run, keys)),
    refusal: (refusal) => {
      const verdict = judgeAttempt(set, fromStoredAttempt(refusal.attempt))
      agreement?.refusal(refusal, verdict)
      return verdict.outcome === 'allow' ? 'allowed' : verdict.outcome === 'error' ? 'failed' : 'refused'
    },
    ...(agreement && { agreement }),
    ruleRefOf: (rule) => ({
      rule_id: rule && !positions ? formatId('rule', rule.id) : null,
      index: (rule && positions?.get(rule.id)) ?? null,
      rule_name: rule && rule.name,
    }),
  }
}
