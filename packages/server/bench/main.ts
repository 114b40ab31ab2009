import { benchGateway } from '../../gateway/bench/gateway.ts'
import { servicesUp, setDiskWaits } from '../scripts/private-services.ts'
import { benchBacktests } from './backtests/backtests.ts'
import { benchConsole } from './console/console.ts'
import { benchCost } from './cost/cost.ts'
import { benchDecisions } from './decisions/decisions.ts'
import { benchForecasts } from './forecasts/forecasts.ts'
import { benchHttp, benchIdentity } from './http/http.ts'
import { benchTiming } from './http/timing.ts'
import { benchIngest } from './ingest/ingest.ts'
import { benchNoise } from './noise/noise.ts'
import { benchPolicies } from './policies/policies.ts'
import { benchRegions } from './regions/regions.ts'
import { benchRevisions } from './revisions/revisions.ts'
import { benchRuns } from './runs/runs.ts'
import { benchSituations } from './situations/situations.ts'
import { benchWebhooks } from './webhooks/webhooks.ts'

/**
 * `pnpm bench NAME`: figures as ratios, measured side by side in one run; `--smoke` only shows that it works, and `--only PART,PART`
 * runs parts of a benchmark that has several. `--record` keeps the results of `situations`.
 */
const benchmarks: Record<
  string,
  (options: { smoke: boolean; only: string[]; tree: string; record: boolean }) => Promise<void>
> = {
  backtests: benchBacktests,
  console: benchConsole,
  cost: benchCost,
  decisions: benchDecisions,
  forecasts: benchForecasts,
  gateway: benchGateway,
  http: benchHttp,
  identity: benchIdentity,
  ingest: benchIngest,
  noise: benchNoise,
  policies: benchPolicies,
  regions: benchRegions,
  revisions: benchRevisions,
  runs: benchRuns,
  situations: benchSituations,
  timing: benchTiming,
  webhooks: benchWebhooks,
}

const [name, ...flags] = process.argv.slice(2)
const benchmark = benchmarks[name ?? '']
if (!benchmark) {
  console.error(`Usage: pnpm bench ${Object.keys(benchmarks).join(' | ')} [--smoke] [--only PART,…] [--tree DIR]`)
  process.exit(64)
}
servicesUp()
await setDiskWaits(true)
const valueOf = (flag: string) => (flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined)
await benchmark({
  smoke: flags.includes('--smoke'),
  only: valueOf('--only')?.split(',') ?? [],
  tree: valueOf('--tree') ?? '.',
  record: flags.includes('--record'),
})
