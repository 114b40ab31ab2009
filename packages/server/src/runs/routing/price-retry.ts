import { type Lanes, type OrgConfig, StaleOperation } from '../../decisions/lanes/lanes.ts'

const maxAttempts = 3

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
      if (!(error instanceof StaleOperation)) throw error
    }
  }
}
