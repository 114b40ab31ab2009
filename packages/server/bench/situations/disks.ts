import type { Results } from '../../../../scripts/proof/situations.ts'
import { hasCompiler, openSlowNetwork } from '../support/postgres.ts'
import type { Bench } from '../support/server.ts'
import { standbyName, startStandby } from '../support/standby.ts'
import { compare, withSite } from './loads.ts'

const loads = [{ callers: 1 }, { callers: 200 }, { perSecond: 500 }]

/** A disk whose sync takes a millisecond longer, as that of a cloud does. */
export async function benchDisk(bench: Bench, results: Results) {
  if (!hasCompiler()) return console.log('slow disk: skipped, there is no compiler (gcc)')
  const { postgres } = bench
  await postgres.start({ fsyncMicros: 1_000 })
  try {
    await withSite(bench, undefined, async (site) => {
      for (const load of loads) await compare(bench, results, site, { situation: 'each sync 1 ms longer', load })
    })
  } finally {
    await postgres.start()
  }
}

/** A network between Weir and PostgreSQL, on which a round trip takes half a millisecond. */
export async function benchNetwork(bench: Bench, results: Results) {
  if (!hasCompiler()) return console.log('slow network: skipped, there is no compiler (gcc)')
  const { postgres } = bench
  const network = await openSlowNetwork(postgres, 500)
  try {
    await withSite(bench, network.port, async (site) => {
      for (const load of loads)
        await compare(bench, results, site, {
          situation: 'each round trip 0.5 ms longer',
          load,
          databasePort: network.port,
        })
    })
  } finally {
    await network.close()
  }
}

/** A second PostgreSQL on the same machine, which has every commit on its disk before it is answered. */
export async function benchStandby(bench: Bench, results: Results) {
  const { postgres } = bench
  await postgres.start({ settings: { synchronous_standby_names: standbyName } })
  const standby = await startStandby(postgres)
  try {
    await withSite(bench, undefined, async (site) => {
      for (const load of loads) await compare(bench, results, site, { situation: 'a synchronous standby', load })
    })
  } finally {
    await standby.stop()
    await postgres.start()
  }
}
