/** The compared metrics, computed from an organization's own sums of a period. */

export interface PeriodSums {
  readonly runs: number
  readonly failed_runs: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens: number
  readonly cost_nano: number
  readonly duration_ms: number
  readonly timed_runs: number
  readonly refusals: number
}

const nanoPerUsd = 1e9

const ratios = {
  cost_per_run_usd: ({ cost_nano, runs }) => [cost_nano / nanoPerUsd, runs],
  tokens_per_run: ({ input_tokens, output_tokens, runs }) => [input_tokens + output_tokens, runs],
  refusal_rate: ({ refusals, runs }) => [refusals, refusals + runs],
  cache_share: ({ cache_read_input_tokens, input_tokens }) => [cache_read_input_tokens, input_tokens],
  latency_ms: ({ duration_ms, timed_runs }) => [duration_ms, timed_runs],
  failure_rate: ({ failed_runs, runs }) => [failed_runs, runs],
} as const satisfies Record<string, (sums: PeriodSums) => readonly [number, number]>

export type Metric = keyof typeof ratios
export const metrics = Object.keys(ratios) as Metric[]

const shares: ReadonlySet<Metric> = new Set(['refusal_rate', 'cache_share', 'failure_rate'])

/** Returns an organization's value; null when it has none, and when reported or corrected data is implausible. */
export function valueOf(metric: Metric, sums: PeriodSums): number | null {
  const [amount, per] = ratios[metric](sums)
  if (per <= 0 || amount < 0 || (shares.has(metric) && amount > per)) return null
  return amount / per
}
