import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { proofFiles } from './proof-page.ts'

/**
 * `pnpm prove:page`: tries to break Weir in every way that `docs/proof.md` shows, measures what it costs, keeps the results and writes the page
 * with its pictures. `--only NAME,…` runs some of it, `--no-run` only writes the page, `--smoke` runs the small forms and keeps nothing.
 * Longer runs of any command can be added with its own `--record`.
 */

/** What is run: about a minute each, and the measurement. Commands as they would be typed after `scripts/run`. */
const runs: Readonly<Record<string, { readonly usual: string; readonly smoke: string }>> = {
  performance: { usual: 'pnpm bench situations', smoke: 'pnpm bench situations --smoke' },
  storm: {
    usual: 'node packages/server/scripts/storm.ts --seconds 60',
    smoke: 'node packages/server/scripts/storm.ts --seconds 3 --connections 20',
  },
  outsider: {
    usual: 'node packages/server/scripts/outsider-storm.ts --seconds 30',
    smoke: 'node packages/server/scripts/outsider-storm.ts --seconds 3 --clients 20',
  },
  ingest: {
    usual: 'node packages/server/scripts/ingest-storm.ts --runs 50000',
    smoke: 'node packages/server/scripts/ingest-storm.ts --runs 1000 --calm',
  },
  webhooks: {
    usual: 'node packages/server/scripts/webhook-storm.ts --events 10000 --subscriptions 60 --pairs 1',
    smoke: 'node packages/server/scripts/webhook-storm.ts --events 400 --subscriptions 20 --pairs 0 --calm',
  },
  decide: {
    usual: 'node packages/server/scripts/simulate.ts decide --cases 200000',
    smoke: 'node packages/server/scripts/simulate.ts decide --cases 2000',
  },
  life: {
    usual: 'node packages/server/scripts/simulate.ts life --seeds 2000 --minutes 2',
    smoke: 'node packages/server/scripts/simulate.ts life --seeds 20',
  },
  'walk-round': {
    usual: 'node packages/server/scripts/walk-round.ts --strict --sequences 60',
    smoke: 'node packages/server/scripts/walk-round.ts --strict --sequences 2',
  },
  limit: { usual: 'pnpm prove limit --count 4000', smoke: 'pnpm prove limit --smoke --count 400' },
  bounds: { usual: 'pnpm prove bounds --count 10000', smoke: 'pnpm prove bounds --count 200' },
  fidelity: { usual: 'pnpm prove fidelity --count 2000', smoke: 'pnpm prove fidelity --smoke --count 50' },
  aborts: { usual: 'pnpm prove aborts --count 300', smoke: 'pnpm prove aborts --smoke --count 20' },
  crashes: { usual: 'pnpm prove crashes --count 3', smoke: 'pnpm prove crashes --smoke' },
  sdk: { usual: 'pnpm prove:sdk --count 1000', smoke: 'pnpm prove:sdk --count 50' },
  import: { usual: 'pnpm prove:import --smoke', smoke: 'pnpm prove:import --smoke' },
  alerts: {
    usual: 'node packages/server/scripts/alert-drill.ts',
    smoke: "node packages/server/scripts/alert-drill.ts --only 'a model has no price'",
  },
  disasters: {
    usual: 'node packages/server/scripts/disaster-drill.ts',
    smoke: "node packages/server/scripts/disaster-drill.ts --only 'Redis lost' --seconds 2 --callers 4",
  },
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(runs).join(',') },
    'no-run': { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
  },
})
const chosen = values['no-run'] ? [] : values.only.split(',')
const unknown = chosen.find((name) => runs[name] === undefined)
if (unknown !== undefined) throw new Error(`no proof ${unknown}: ${Object.keys(runs).join(', ')}`)

const broken = chosen.filter((name) => {
  const { usual, smoke } = runs[name]!
  const command = values.smoke ? smoke : `${usual} --record`
  console.log(`=== ${command}`)
  return spawnSync('bash', ['-c', command], { cwd: root, stdio: 'inherit' }).status !== 0
})
if (!values.smoke) {
  for (const [path, text] of Object.entries(proofFiles())) writeFileSync(root + path, text)
  console.log('wrote docs/proof.md')
}
if (broken.length > 0) {
  console.error(`ended with a fault: ${broken.join(', ')}`)
  process.exitCode = 1
}
