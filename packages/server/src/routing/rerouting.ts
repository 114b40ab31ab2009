import type { Definitions, Lanes } from '../lanes/lanes.ts'

/** The prices that a model was chosen by are no longer those that are set. */
export class PricesChanged extends Error {}

const attempts = 3

/** A task that is only bound by the prices that its model was chosen by. */
export const insistOnPrices = <T extends { readonly bind: (facts: never) => unknown }>(
  task: T,
  { prices }: Pick<Definitions, 'prices'>,
): T => ({
  ...task,
  bind: (facts: { readonly definitions: Pick<Definitions, 'prices'> }) => {
    if (facts.definitions.prices !== prices) throw new PricesChanged()
    return task.bind(facts as never)
  },
})

/**
 * Chooses and carries out by what this process knows of prices; where the ledger knows better, chooses again. In the end it is not
 * insisted on: prices that change all the time must not keep anybody from running.
 */
export async function rerouting<R>(
  lanes: Pick<Lanes, 'definitionsOf'>,
  orgId: string,
  carry: (definitions: Definitions, insists: boolean) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await carry(await lanes.definitionsOf(orgId), attempt < attempts)
    } catch (error) {
      if (!(error instanceof PricesChanged)) throw error
    }
  }
}
