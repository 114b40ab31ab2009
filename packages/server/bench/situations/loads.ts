import type { Results, Side } from '../../../../scripts/proof/situations.ts'
import { writeScript } from '../decisions/http.ts'
import { alternate } from '../support/report.ts'
import { ask, type Bench, type Server, startApi, startBare } from '../support/server.ts'
import { sideOf } from './results.ts'
import { askUnder, type Load, loadName, transact } from './sides.ts'

export const roundsOf = ({ smoke }: Bench) => (smoke ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 4 })

export interface Site {
  readonly api: Server
  readonly bare: Server
  /** The decision of another organization as statements for pgbench. */
  readonly script: string
}

/** Starts Weir and the bare framework, asks until everything is warm, and stops them after the work. */
export async function withSite(bench: Bench, databasePort: number | undefined, work: (site: Site) => Promise<void>) {
  const { postgres, orgs } = bench
  const { seconds } = roundsOf(bench)
  const [api, bare] = await Promise.all([
    startApi(postgres, databasePort === undefined ? {} : { databasePort }),
    startBare(),
  ])
  try {
    for (const org of orgs.slice(0, 2))
      await ask(api, postgres, { orgs: [org], connections: 50, seconds, isWarmUp: true })
    await ask(bare, postgres, { orgs: orgs.slice(0, 1), connections: 50, seconds: 1 })
    await work({ api, bare, script: await writeScript(postgres, orgs[1]!) })
  } finally {
    await Promise.all([api.stop(), bare.stop()])
  }
}

/** Measures one load from all sides and says what was found. */
export async function compare(
  bench: Bench,
  results: Results,
  { api, bare, script }: Site,
  { situation, load, databasePort }: { situation: string; load: Load; databasePort?: number },
) {
  const { postgres, orgs } = bench
  const { rounds, seconds } = roundsOf(bench)
  const hot = orgs.slice(0, 1)
  const by = await alternate(rounds, {
    weir: () => askUnder(bench, api, hot, load, seconds),
    framework: () => askUnder(bench, bare, hot, load, seconds),
    // Twice as long, for most of its first second goes into connecting many clients; in a smoke run they would get no further.
    postgres: () =>
      transact(postgres, script, bench.smoke && 'callers' in load ? { callers: Math.min(10, load.callers) } : load, {
        seconds: seconds * 2,
        ...(databasePort !== undefined && { port: databasePort }),
      }),
  })
  const sides = { weir: sideOf(by.weir), framework: sideOf(by.framework), postgres: sideOf(by.postgres) }
  results.measured.push({ situation, load: loadName(load), sides })
  console.log(
    `${situation}, ${loadName(load)}: ${Object.entries(sides)
      .map(([name, side]) => `${name} ${said(side)}`)
      .join('; ')}`,
  )
}

const said = ({ rate, p50, p99, refused, cpu }: Side) =>
  `${rate}/s, p50 ${p50} ms, p99 ${p99} ms${cpu === undefined ? '' : `, CPU ${cpu} ms`}${refused > 0 ? `, ${(100 * refused).toFixed(1)} % turned away` : ''}`

const usual = 'one organization'

export const benchCallers = (bench: Bench, results: Results) =>
  withSite(bench, undefined, async (site) => {
    for (const callers of [1, 50, 200]) await compare(bench, results, site, { situation: usual, load: { callers } })
  })

export const benchRates = (bench: Bench, results: Results) =>
  withSite(bench, undefined, async (site) => {
    for (const perSecond of [100, 500, 2_000])
      await compare(bench, results, site, { situation: usual, load: { perSecond } })
  })

/** The same callers for one organization and for many. */
export const benchOrgs = (bench: Bench, results: Results) =>
  withSite(bench, undefined, async ({ api, bare }) => {
    const { postgres, orgs } = bench
    const { rounds, seconds } = roundsOf(bench)
    const load = { callers: 200 }
    // Every organization once: what is set for it has been read, and its rows are made.
    await ask(api, postgres, { orgs, connections: 200, seconds: seconds * 2, isWarmUp: true })
    const by = await alternate(rounds, {
      weir: () => askUnder(bench, api, orgs, load, seconds),
      framework: () => askUnder(bench, bare, orgs, load, seconds),
    })
    const sides = { weir: sideOf(by.weir), framework: sideOf(by.framework) }
    results.measured.push({
      situation: `${orgs.length.toLocaleString('en')} organizations`,
      load: loadName(load),
      sides,
    })
    console.log(
      `${orgs.length} organizations, ${loadName(load)}: weir ${said(sides.weir)}; framework ${said(sides.framework)}`,
    )
  })
