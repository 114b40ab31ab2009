import type { Platform } from '../../platform/infra/platform.ts'
import { Lru } from '../../values/lru.ts'
import {
  type ConnectionRow,
  createConnectionSecrets,
  oidcClientOf,
  openProviderOutbound,
} from '../connections/connections.ts'
import { type DiscoveryFault, discoverProvider, type Provider } from '../oidc/oidc.ts'

/** Providers of connections, remembered for a while: a sign-in begins and ends with one look at the discovery document. */
export interface Providers {
  readonly of: (connection: ConnectionRow) => Promise<Provider | DiscoveryFault>
  readonly close: () => Promise<void>
}

interface Remembered {
  readonly provider: Provider
  readonly untilMs: number
}

const maxProviders = 1_000
/** Time for which a discovery document is believed. The keys beside it are asked for again as soon as an unknown one is used. */
const rememberedMs = 600_000

export function createProviders({ config, clock }: Pick<Platform, 'config' | 'clock'>): Providers {
  const outbound = openProviderOutbound(config)
  const secrets = createConnectionSecrets(config)
  const known = new Lru<string, Remembered>(maxProviders)
  return {
    of: async (connection) => {
      // A connection that was changed is another one.
      const key = `${connection.id} ${connection.updated_at.toISOString()}`
      const nowMs = clock.now().getTime()
      const remembered = known.get(key)
      if (remembered && nowMs < remembered.untilMs) return remembered.provider
      const provider = await discoverProvider(outbound, oidcClientOf(secrets, connection))
      if (typeof provider !== 'string') known.set(key, { provider, untilMs: nowMs + rememberedMs })
      return provider
    },
    close: outbound.close,
  }
}
