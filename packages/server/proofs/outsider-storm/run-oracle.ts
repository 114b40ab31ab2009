import type { Run } from '../../src/records/run-log/run-log.ts'
import { parseUsd } from '../../src/values/money.ts'
import { acknowledged, type Ending, type Life } from './journal.ts'
import { costNano } from './pricing.ts'

/** Compares every run that can be read with what its caller was told. */
export function faultsOfRuns(lives: readonly Life[], runs: readonly Run[]): string[] {
  const byName = Map.groupBy(runs, ({ external_id }) => external_id ?? '')
  const known = new Set(lives.map(({ name }) => name))
  return [
    ...Array.from(byName, ([name, all]) => (all.length > 1 ? `${all.length} runs are called ${name}` : '')),
    ...runs.map(({ id, external_id }) => (known.has(external_id ?? '') ? '' : `nobody sent the run ${id}`)),
    ...lives.flatMap((life) => faultsOfLife(life, byName.get(life.name)?.[0])),
  ].filter((fault) => fault !== '')
}

function faultsOfLife(life: Life, run: Run | undefined): string[] {
  const told = acknowledged(life)
  const contents = new Set(told.map((ending) => JSON.stringify(ending)))
  if (contents.size > 1) return [`${life.name}: two different ends were acknowledged: ${[...contents].join(' and ')}`]
  const [ending] = told
  if (ending) {
    if (!run) return [`${life.name} was acknowledged, and there is no such run`]
    const differences = differencesOf(run, life, ending)
    return differences.length === 0 ? [] : [`${life.name} (${run.id}): ${differences.join('; ')}`]
  }
  if (!run) return life.kind === 'run' && life.runId !== undefined ? [`${life.name} was started, and is gone`] : []
  if (life.isReleased) return [`${life.name} was released, and there is a run of it`]
  return faultsOfUncertain(life, run)
}

/** An end whose answer never came is recorded as it was sent, or not at all: the lease is then over. */
function faultsOfUncertain(life: Life, run: Run): string[] {
  if (life.kind === 'run' && isExpired(life, run)) return []
  const refused = life.endings.every(({ replies }) => replies.length > 0)
  if (refused && life.kind !== 'run') return [`${life.name} was refused, and there is a run of it`]
  const fits = life.endings.some(({ ending }) => differencesOf(run, life, ending).length === 0)
  return fits ? [] : [`${life.name} (${run.id}) says what nobody sent: ${JSON.stringify(run)}`]
}

const isExpired = ({ labels, model, reservedUsd }: Life, run: Run) =>
  run.status === 'expired' &&
  run.cost_basis === 'estimated' &&
  run.model === model &&
  (reservedUsd === undefined || run.cost_usd === reservedUsd) &&
  labelNames.every((name) => run[name] === (labels[name] ?? null))

const labelNames = ['workflow_id', 'department_id', 'deployment_id', 'customer_id'] as const

/** Everything in which a run differs from an end that its caller reported. */
function differencesOf(run: Run, life: Life, ending: Ending): string[] {
  const hasUsage = ending.input_tokens !== undefined || ending.output_tokens !== undefined
  const isPriced = ending.cost_usd !== undefined || hasUsage
  const expected: Partial<Record<keyof Run, unknown>> = {
    status: ending.status,
    model: (life.kind === 'edge' ? ending.model : undefined) ?? life.model,
    input_tokens: ending.input_tokens ?? null,
    output_tokens: ending.output_tokens ?? null,
    value_usd: ending.value_usd ?? null,
    cost_basis: ending.cost_usd !== undefined ? 'reported' : hasUsage ? 'computed' : 'estimated',
    ...Object.fromEntries(labelNames.map((name) => [name, life.labels[name] ?? null])),
    ...(ending.ended_at !== undefined && { ended_at: ending.ended_at }),
    ...(life.kind === 'run' && { tags: life.tags, id: life.runId }),
    ...(life.kind === 'edge' && { reservation_id: life.reservationId }),
  }
  const differences = Object.entries(expected).flatMap(([name, value]) => {
    const said = run[name as keyof Run]
    return JSON.stringify(said) === JSON.stringify(value)
      ? []
      : [`${name} is ${JSON.stringify(said)} instead of ${JSON.stringify(value)}`]
  })
  const cost = isPriced ? costNano(ending, life.model) : undefined
  if (cost !== undefined && parseUsd(run.cost_usd ?? '0') !== cost)
    differences.push(`cost_usd is ${run.cost_usd} instead of ${cost} nano-dollars`)
  return differences
}
