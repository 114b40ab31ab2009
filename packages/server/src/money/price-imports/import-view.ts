import { createHash } from 'node:crypto'
import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import { bodyChecker } from '../../contract/validation.ts'
import { timestamp } from '../../values/timestamp.ts'
import { PricesInput } from '../prices/prices.ts'
import { entriesByProvider, type ImportPlan, isTooLong, maxEntries, type Remark } from './price-imports.ts'
import type { PriceImport, PriceImportInput } from './schema.ts'

const remarkView = ({ entry, what, line }: Remark) => ({ model: entry, line: line ?? null, message: what })

/** Returns a plan as the API shows it. */
export function importView(plan: ImportPlan, isDryRun: boolean): PriceImport {
  const count = (isCounted: (comparison: string) => boolean) =>
    plan.changed.filter(({ comparison }) => isCounted(comparison)).length
  return {
    dry_run: isDryRun,
    format: plan.format,
    models: plan.models,
    chosen: plan.chosen,
    added: count((each) => each === 'added'),
    changed: count((each) => each !== 'added' && each !== 'removed'),
    removed: count((each) => each === 'removed'),
    unchanged: plan.unchanged,
    kept: plan.kept,
    entries: plan.entries.length,
    max_entries: maxEntries,
    changes: plan.changed.map(({ comparison, model, provider, effective_from: from, changes }) => ({
      change: comparison,
      model,
      provider,
      effective_from: from === null ? null : timestamp(new Date(from)),
      terms: changes.map(({ percent, ...term }) => ({ ...term, difference_percent: percent })),
    })),
    refused: plan.refused.map(remarkView),
    left_out: plan.leftOut.map(remarkView),
    not_expressed: plan.notExpressed.map(remarkView),
    not_in_file: plan.notInFile.map(remarkView),
    digest: digestOf(plan),
  }
}

/** Stands for what an import changes, and for all that it leaves. */
const digestOf = ({ entries, changed }: ImportPlan): string =>
  createHash('sha256')
    .update(JSON.stringify([entries, changed]))
    .digest('base64url')

const checkEntries = bodyChecker({ schema: PricesInput, judgesText: true })

const shownFaults = 50

/** Refuses an import that cannot be applied: more entries than there can be, or invalid prices. */
export function assertApplicable(plan: ImportPlan, { skip_refused: skips = false }: PriceImportInput) {
  const fault = (code: FieldFault['code'], message: string) => ({ field: 'file', code, message })
  if (isTooLong(plan)) {
    const largest = entriesByProvider(plan)
      .slice(0, 8)
      .map(([provider, entries]) => `${provider} ${entries}`)
    const message = `These are ${plan.entries.length} entries, and there can be ${maxEntries}. Choose models by provider or name. The most are of ${largest.join(', ')}.`
    throw validationFailed([fault('too_many', message)])
  }
  const refused = skips
    ? []
    : plan.refused.map(({ entry, what, line }) =>
        fault('invalid_value', `${line === undefined ? '' : `Line ${line}: `}${entry}: ${what}.`),
      )
  const others = checkEntries({ prices: plan.entries }).map(({ field, code, message }) => {
    const { model, provider } = plan.entries[Number(field.split('.')[1])] ?? {}
    return fault(code, `${provider ?? 'any provider'}/${model ?? ''}: ${message}`)
  })
  const faults = [...refused, ...others]
  if (faults.length > 0) throw validationFailed(faults.slice(0, shownFaults))
}
