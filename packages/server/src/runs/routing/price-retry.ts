import type { Lanes, OrgConfig } from '../../decisions/lanes/lanes.ts'

/** Thrown when the prices that a model was chosen by have changed since. */
export class PricesChanged extends Error {}

const maxAttempts = 3

/** Returns a task that fails with `PricesChanged` unless the prices are those that its model was chosen by. */
export const requirePrices = <T extends { readonly plan: (context: never) => unknown }>(
  task: T,
  { prices }: Pick<OrgConfig, 'prices'>,
): T => ({
  ...task,
  plan: (context: { readonly orgConfig: Pick<OrgConfig, 'prices'> }) => {
    if (context.orgConfig.prices !== prices) throw new PricesChanged()
    return task.plan(context as never)
  },
})

/**
 * Chooses a model and carries out the request with the prices that this process has cached, and chooses again when the ledger has
 * newer ones. The last attempt accepts any prices: frequent price changes must not keep anybody from running.
 */
export async function retryOnPriceChange<R>(
  lanes: Pick<Lanes, 'orgConfigOf'>,
  orgId: string,
  attemptWith: (definitions: OrgConfig, requiresPrices: boolean) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptWith(await lanes.orgConfigOf(orgId), attempt < maxAttempts)
    } catch (error) {
      if (!(error instanceof PricesChanged)) throw error
    }
  }
}
