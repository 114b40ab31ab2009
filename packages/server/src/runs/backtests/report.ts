import type { Rule } from '../../governance/policies/policies.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import type { StoredRun } from './queries.ts'
import type { BacktestView } from './schema.ts'
import { addTo, Largest, newTally, type Ranked, Ranking, tallyView } from './tallies.ts'

const maxExamples = 20

/** The outcome of a run. `approved`: the live rules would refuse it without its approval; `uncounted`: it was not judged. */
export interface RunJudgement {
  readonly outcome: 'allow' | 'block' | 'require_approval' | 'error' | 'over_limit' | 'approved' | 'uncounted'
  readonly rule: Rule | null
}

type Example = BacktestView['examples'][number]

/** The reference to a rule in a response. */
export type RuleRef = Pick<Example, 'rule_id' | 'index' | 'rule_name'>

/** Adds up outcomes, in memory that does not grow with the number of runs. */
export class BacktestReport {
  private readonly counts = {
    allow: 0,
    block: 0,
    require_approval: 0,
    error: 0,
    over_limit: 0,
    approved: 0,
    uncounted: 0,
  }
  private considered = 0
  private withoutAdmission = 0
  private costNano = 0n
  private readonly total = newTally()
  private readonly teams = new Ranking<string | null>()
  private readonly models = new Ranking<string>()
  private readonly rules = new Ranking<Rule>()
  private readonly examples = new Largest<Example>(maxExamples)
  private readonly refer: (rule: Rule | null) => RuleRef

  constructor(refer: (rule: Rule | null) => RuleRef) {
    this.refer = refer
  }

  add(run: StoredRun, { outcome, rule }: RunJudgement) {
    const { id, model, department_id, cost_nano: costNano } = run
    this.considered += 1
    this.costNano += costNano
    if (run.admission === null) this.withoutAdmission += 1
    this.counts[outcome] += 1
    if (outcome === 'allow' || outcome === 'approved' || outcome === 'uncounted') return
    const tally =
      outcome === 'error' ? { refused: 0, failed: 1, savedNano: 0n } : { refused: 1, failed: 0, savedNano: costNano }
    addTo(this.total, tally)
    this.teams.add(department_id, tally)
    this.models.add(model, tally)
    if (rule) this.rules.add(rule, tally)
    this.examples.offer(costNano, () => ({
      run_id: formatId('run', id),
      model,
      department_id,
      outcome,
      ...this.refer(rule),
      cost_usd: formatUsd(costNano),
    }))
  }

  view(): Pick<BacktestView, 'runs' | 'by_team' | 'by_model' | 'by_rule' | 'examples'> {
    const { block, require_approval, over_limit, approved, uncounted } = this.counts
    return {
      runs: {
        considered: this.considered,
        cost_usd: formatUsd(this.costNano),
        ...tallyView(this.total),
        blocked: block,
        approval_required: require_approval,
        over_limit,
        approved,
        without_admission: this.withoutAdmission,
        uncounted,
      },
      by_team: rankedView(this.teams.ranked(), (department_id) => ({ department_id })),
      by_model: rankedView(this.models.ranked(), (model) => ({ model })),
      by_rule: rankedView(this.rules.ranked(), this.refer),
      examples: this.examples.items(),
    }
  }
}

const rankedView = <K, V extends object>({ largest, other, isExact }: Ranked<K>, named: (key: K) => V) => ({
  data: largest.map(([key, tally]) => ({ ...named(key), ...tallyView(tally) })),
  other: tallyView(other),
  is_exact: isExact,
})
