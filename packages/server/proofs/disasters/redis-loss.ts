import { setTimeout as sleep } from 'node:timers/promises'
import { makeServer } from '../support/postgres-server.ts'
import { longestSilenceMs } from './calls.ts'
import { type DrillOptions, type DrillReport, faultsOfDrill, openDrill, withClosing } from './drill.ts'

/** The drill of a lost Redis: killed under load, away for a while, and back with nothing in it. */
export const drillRedisLoss = (options: DrillOptions): Promise<DrillReport> =>
  withClosing(async (closing) => {
    const server = await makeServer()
    closing.push(() => server.close())
    await server.start()
    const drill = await openDrill(closing, server, options)
    const { calls, redis } = drill
    const calmMs = longestSilenceMs(calls.samples)
    const lostMs = performance.now()
    await redis.kill()
    await calls.goOn()
    await sleep(options.seconds * 500)
    await calls.goOn()
    await redis.revive()
    await sleep(options.seconds * 500)
    await calls.goOn()
    await calls.end()
    return {
      faults: await faultsOfDrill(drill, server),
      figures: {
        calls: calls.records.length,
        'longest time without a decision before, in ms': calmMs.toFixed(0),
        'longest time without a decision since, in ms': longestSilenceMs(calls.samples, lostMs).toFixed(0),
      },
    }
  })
