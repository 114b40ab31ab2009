import type { Run } from '../../src/records/run-log/run-log.ts'
import { parseUsd } from '../../src/values/money.ts'
import type { Journal } from './journal.ts'
import { type Outside, type UsageRow, usageGroupings } from './outside.ts'

/** Usage, limits, ledger and audit log as they can be read, each against the runs and against what the clients were told. */
export function faultsOfSums(outside: Outside, journal: Journal): string[] {
  return [
    ...faultsOfUsage(outside),
    ...faultsOfLimits(outside),
    ...faultsOfLedger(outside),
    ...faultsOfAudit(outside, journal),
  ]
}

const sumOf = (runs: readonly Run[]) => ({
  runs: runs.length,
  failed_runs: runs.filter(({ status }) => status === 'failed').length,
  input_tokens: runs.reduce((sum, { input_tokens }) => sum + (input_tokens ?? 0), 0),
  output_tokens: runs.reduce((sum, { output_tokens }) => sum + (output_tokens ?? 0), 0),
  cost_nano: runs.reduce((sum, { cost_usd }) => sum + parseUsd(cost_usd ?? '0'), 0n),
  value_nano: runs.reduce((sum, { value_usd }) => sum + parseUsd(value_usd ?? '0'), 0n),
})

const sumIn = (rows: readonly UsageRow[]) => ({
  runs: rows.reduce((sum, row) => sum + row.runs, 0),
  failed_runs: rows.reduce((sum, row) => sum + row.failed_runs, 0),
  input_tokens: rows.reduce((sum, row) => sum + row.input_tokens, 0),
  output_tokens: rows.reduce((sum, row) => sum + row.output_tokens, 0),
  cost_nano: rows.reduce((sum, row) => sum + parseUsd(row.cost_usd), 0n),
  value_nano: rows.reduce((sum, row) => sum + parseUsd(row.value_usd), 0n),
})

const shown = (value: object) =>
  JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

function faultsOfUsage({ runs, usage }: Outside): string[] {
  return usageGroupings.flatMap((grouping) => {
    const rows = Map.groupBy(usage[grouping], (row) => row[grouping] ?? null)
    // Usage by customer leaves out runs that name none.
    const counted = runs.filter((run) => grouping !== 'customer_id' || run.customer_id !== null)
    const groups = Map.groupBy(counted, (run) => run[grouping])
    return [...new Set([...rows.keys(), ...groups.keys()])].flatMap((group) => {
      const [said, real] = [shown(sumIn(rows.get(group) ?? [])), shown(sumOf(groups.get(group) ?? []))]
      return said === real ? [] : [`usage of ${grouping} ${group}: ${said}, its runs are ${real}`]
    })
  })
}

function faultsOfLimits({ runs, budgets, cap }: Outside): string[] {
  const spentBy = (matches: (run: Run) => boolean) => sumOf(runs.filter(matches)).cost_nano
  const expected = budgets.map((budget) => {
    const label = `${budget.scope_kind}_id` as 'workflow_id'
    return { ...budget, real: spentBy((run) => budget.scope_kind === 'org' || run[label] === budget.scope_id) }
  })
  return [
    ...expected.flatMap(({ name, spent_usd, real }) =>
      parseUsd(spent_usd) === real ? [] : [`budget ${name} says ${spent_usd}, its runs cost ${real} nano-dollars`],
    ),
    ...budgets.flatMap(({ name, held_usd }) => (held_usd === '0' ? [] : [`budget ${name} still holds ${held_usd}`])),
    ...(parseUsd(cap.spent_usd) === spentBy(() => true) ? [] : [`the spend cap says ${cap.spent_usd}`]),
    ...(cap.held_usd === '0' ? [] : [`the spend cap still holds ${cap.held_usd}`]),
  ]
}

/** Every movement that the ledger shows, added up, is what the limits say; a hold begins once. */
function faultsOfLedger({ movements, budgets }: Outside): string[] {
  const spent = new Map<string, bigint>()
  const begun = new Map<string, number>()
  for (const { kind, reservation_id, changes } of movements) {
    if (kind === 'hold') begun.set(reservation_id!, (begun.get(reservation_id!) ?? 0) + 1)
    for (const change of changes)
      if (change.unit === 'usd')
        spent.set(change.limit_id, (spent.get(change.limit_id) ?? 0n) + signedNano(String(change.spent)))
  }
  return [
    ...Array.from(begun, ([id, times]) => (times === 1 ? '' : `${id} begins ${times} times in the ledger`)),
    ...budgets.map(({ id, name, spent_usd }) =>
      (spent.get(id) ?? 0n) === parseUsd(spent_usd)
        ? ''
        : `the movements of budget ${name} come to ${spent.get(id)}, it says ${spent_usd}`,
    ),
  ].filter((fault) => fault !== '')
}

const signedNano = (amount: string) => (amount.startsWith('-') ? -parseUsd(amount.slice(1)) : parseUsd(amount))

/** A change that was acknowledged is on the record once; one whose answer was lost at most once. */
function faultsOfAudit({ audit, auditVerification }: Outside, { changes }: Journal): string[] {
  const entries = Map.groupBy(
    audit.filter(({ action }) => action === 'budget.updated'),
    ({ target, after }) => `${target.id} ${(after as { limit_usd: string }).limit_usd}`,
  )
  const sent = new Set(changes.map(({ budgetId, limitUsd }) => `${budgetId} ${limitUsd}`))
  return [
    ...(auditVerification.valid ? [] : [`the audit log does not verify: ${JSON.stringify(auditVerification)}`]),
    ...changes.flatMap(({ budgetId, limitUsd, isAcknowledged }) => {
      const count = entries.get(`${budgetId} ${limitUsd}`)?.length ?? 0
      const isRight = isAcknowledged ? count === 1 : count <= 1
      return isRight ? [] : [`a change of ${budgetId} to ${limitUsd} is on the record ${count} times`]
    }),
    ...[...entries.keys()].flatMap((name) => (sent.has(name) ? [] : [`nobody sent the change ${name} of the record`])),
  ]
}
