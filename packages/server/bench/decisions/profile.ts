import { profiled } from '../support/profile.ts'
import { ask, type Bench } from '../support/server.ts'

/** Prints where the time of a hot organization goes. */
export async function benchProfile({ postgres, orgs, smoke }: Bench) {
  const seconds = smoke ? 2 : 15
  for (const connections of [200, 1])
    await profiled(postgres, `one hot organization, ${connections} connections`, async (api, isWarmUp) => {
      const options = { orgs: orgs.slice(0, 1), connections, seconds: isWarmUp ? 2 : seconds, isWarmUp }
      const round = await ask(api, postgres, options)
      return { round, count: round.rate * seconds, seconds }
    })
}
