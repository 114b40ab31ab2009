import { makerText } from '../../access/identity/identity.ts'
import { normalName } from '../../money/prices/prices.ts'
import { newUuid } from '../../values/id.ts'
import { namesOf } from '../../values/records.ts'
import { dayMs, isoOf } from '../../values/time.ts'
import type { RunRecord } from './rows.ts'

/** Runs are summed by quarters of an hour: days in every time zone consist of them. */
export const bucketMs = 15 * 60_000

/** A run to add to usage, or to subtract where its estimate is replaced. */
export interface CountedRun {
  readonly orgId: string
  readonly run: RunRecord
  readonly sign: 1n | -1n
}

/** The sums. Counts of one transaction fit a number; dollars never are one. */
interface Sums {
  runs: number
  failed_runs: number
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
  reasoning_output_tokens: number
  cost_nano: bigint
  estimated_nano: bigint
  overrun_nano: bigint
  value_nano: bigint
  duration_ms: number
  timed_runs: number
}

/** Returns the changes that runs make to usage: one row per bucket and dimensions, and one per customer and day. */
export function usageDeltas(counted: readonly CountedRun[]) {
  const rows = new Map<string, { readonly fields: object; readonly sums: Sums }>()
  for (const { orgId, run, sign } of counted) {
    const { workflow_id = '', deployment_id = '', department_id = '', user_id = '', customer_id } = run.about
    // Spellings of one name are one line of usage.
    const [model, provider] = [normalName(run.about.model), normalName(run.about.provider ?? '')]
    const key_id = run.madeBy ? makerText(run.madeBy) : ''
    const bucket = run.startedAtMs - (run.startedAtMs % bucketMs)
    const key = [orgId, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id].join('\n')
    let row = rows.get(key)
    if (!row) {
      const dimensions = {
        org_id: orgId,
        bucket: isoOf(bucket),
        model,
        provider,
        workflow_id,
        deployment_id,
        department_id,
        user_id,
      }
      rows.set(key, (row = { fields: { ...dimensions, key_id, customer_id: null }, sums: zeros() }))
    }
    addTo(row.sums, run, sign)
    if (customer_id === undefined) continue
    const day = run.startedAtMs - (run.startedAtMs % dayMs)
    const ofCustomer = `${orgId}\n${day}\n${customer_id}`
    let own = rows.get(ofCustomer)
    if (!own) {
      const fields = { ...noDimensions, org_id: orgId, bucket: isoOf(day), customer_id }
      rows.set(ofCustomer, (own = { fields, sums: zeros() }))
    }
    addTo(own.sums, run, sign)
  }
  return Array.from(rows.values(), ({ fields, sums }) => ({
    ...fields,
    id: newUuid(),
    ...sums,
    cost_nano: sums.cost_nano.toString(),
    estimated_nano: sums.estimated_nano.toString(),
    overrun_nano: sums.overrun_nano.toString(),
    value_nano: sums.value_nano.toString(),
  }))
}

const noDimensions = {
  model: '',
  provider: '',
  workflow_id: '',
  deployment_id: '',
  department_id: '',
  key_id: '',
  user_id: '',
}

const zeros = (): Sums => ({
  runs: 0,
  failed_runs: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  reasoning_output_tokens: 0,
  cost_nano: 0n,
  estimated_nano: 0n,
  overrun_nano: 0n,
  value_nano: 0n,
  duration_ms: 0,
  timed_runs: 0,
})

/** The names of all sums, which are their columns. */
export const usageCounters = namesOf(zeros())

function addTo(sums: Sums, run: RunRecord, sign: 1n | -1n) {
  const { status, usage, costNano, costBasis, overrunNano, valueNano, startedAtMs, endedAtMs } = run
  const one = Number(sign)
  sums.runs += one
  if (status === 'failed') sums.failed_runs += one
  sums.input_tokens += one * (usage.input_tokens ?? 0)
  sums.output_tokens += one * (usage.output_tokens ?? 0)
  sums.cache_read_input_tokens += one * (usage.cache_read_input_tokens ?? 0)
  sums.cache_creation_input_tokens += one * (usage.cache_creation_input_tokens ?? 0)
  sums.reasoning_output_tokens += one * (usage.reasoning_output_tokens ?? 0)
  const cost = sign * costNano
  sums.cost_nano += cost
  if (costBasis === 'estimated') sums.estimated_nano += cost
  if (overrunNano !== 0n) sums.overrun_nano += sign * overrunNano
  if (valueNano !== null) sums.value_nano += sign * valueNano
  if (endedAtMs === null || status === 'expired') return
  sums.duration_ms += one * (endedAtMs - startedAtMs)
  sums.timed_runs += one
}
