import { benchGateway } from '../../gateway/bench/gateway.ts'
import { servicesUp, setDiskWaits } from '../scripts/private-services.ts'
import { benchBacktests } from './backtests/backtests.ts'
import { benchConsole } from './console/console.ts'
import { benchDecisions } from './decisions/decisions.ts'
import { benchForecasts } from './forecasts/forecasts.ts'
import { benchHttp, benchIdentity } from './http/http.ts'
import { benchTiming } from './http/timing.ts'
import { benchIngest } from './ingest/ingest.ts'
import { benchNoise } from './noise/noise.ts'
import { benchPolicies } from './policies/policies.ts'
import { benchRevisions } from './revisions/revisions.ts'
import { benchRuns } from './runs/runs.ts'
import { benchWebhooks } from './webhooks/webhooks.ts'

/**
 * `pnpm bench NAME`: figures as ratios, measured side by side in one run; `--smoke` only shows that it works, and `--only PART,PART`
 * runs parts of a benchmark that has several.
 */
const benchmarks: Record<string, (options: { smoke: boolean; only: string[]; tree: string }) => Promise<void>> = {
  backtests: benchBacktests,
  console: benchConsole,
  decisions: benchDecisions,
  forecasts: benchForecasts,
  gateway: benchGateway,
  http: benchHttp,
  identity: benchIdentity,
  ingest: benchIngest,
  noise: benchNoise,
  policies: benchPolicies,
  revisions: benchRevisions,
  runs: benchRuns,
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
})
