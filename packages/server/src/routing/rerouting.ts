import type { Definitions, Lanes } from '../lanes/lanes.ts'

/** Thrown when the prices that a model was chosen by have changed since. */
export class PricesChanged extends Error {}

const attempts = 3

/** Returns a task that fails with `PricesChanged` unless the prices are those that its model was chosen by. */
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
 * Chooses a model and carries out the request with the prices that this process has cached, and chooses again when the ledger has
 * newer ones. The last attempt accepts any prices: frequent price changes must not keep anybody from running.
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
