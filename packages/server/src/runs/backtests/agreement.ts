import type { PolicyVerdict } from '../../governance/policies/policies.ts'
import type { Admission } from '../../records/run-log/run-log.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import type { RecordedRefusal, StoredRun } from './queries.ts'
import type { AgreementView } from './schema.ts'

const maxExamples = 20

type Example = AgreementView['examples'][number]

/** Compares the recorded decisions of exactly these rules with their decisions now. */
export class Agreement {
  private readonly version: bigint
  private compared = 0
  private differing = 0
  private readonly examples: Example[] = []

  constructor(version: bigint) {
    this.version = version
  }

  /** True when the run was admitted under this version of the rules. */
  covers = (admission: Admission | null): boolean => admission?.set_version === this.version.toString()

  /** Compares a run. A run that was admitted was allowed, or had an approval. */
  run({ id, admission }: StoredRun, verdict: PolicyVerdict) {
    if (!this.covers(admission)) return
    const outcome = present(admission).approval_id === undefined ? 'allow' : 'require_approval'
    this.note(1, verdict.outcome === outcome, verdict, {
      run_id: formatId('run', id),
      match_id: null,
      recorded: { outcome, rule_id: null },
    })
  }

  refusal({ id, set_version, outcome, rule_id, count }: RecordedRefusal, verdict: PolicyVerdict) {
    if (set_version !== this.version.toString()) return
    this.note(count, verdict.outcome === outcome && verdict.rule?.id === rule_id, verdict, {
      run_id: null,
      match_id: formatId('policyMatch', id),
      recorded: { outcome, rule_id: formatId('rule', rule_id) },
    })
  }

  private note(count: number, agrees: boolean, { outcome, rule }: PolicyVerdict, recorded: Omit<Example, 'found'>) {
    this.compared += count
    if (agrees) return
    this.differing += count
    if (this.examples.length === maxExamples) return
    this.examples.push({ ...recorded, found: { outcome, rule_id: rule && formatId('rule', rule.id) } })
  }

  view = (): AgreementView => ({
    set_version: Number(this.version),
    compared: this.compared,
    differing: this.differing,
    examples: this.examples,
  })
}
