import type { Config } from '../../config.ts'
import { createOutbound, type Outbound } from '../../platform/infra/outbound.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { Lru } from '../../values/lru.ts'
import { present } from '../../values/present.ts'
import { type DiscoveryFault, discoverProvider, type OidcClient, type Provider } from '../oidc/oidc.ts'
import { type ConnectionRow, oidcSettingsOf } from './queries.ts'
import { type ConnectionSecrets, createConnectionSecrets } from './secrets.ts'

/**
 * Providers of connections, remembered for a while: a sign-in begins and ends with one look at the discovery document. Whoever comes while it
 * is looked for waits for the same answer, so that no crowd of strangers makes us ask a provider often.
 */
export interface Providers {
  readonly of: (connection: ConnectionRow) => Promise<Provider | DiscoveryFault>
  /** Looks for a provider now, whatever is remembered; one that is found serves the sign-ins of this process at once. */
  readonly anew: (connection: ConnectionRow) => Promise<Provider | DiscoveryFault>
  readonly close: () => Promise<void>
}

interface Remembered {
  readonly found: Promise<Provider | DiscoveryFault>
  untilMs: number
}

const maxProviders = 1_000
/** Time for which a discovery document is believed. The keys beside it are asked for again as soon as an unknown one is used. */
const rememberedMs = 600_000
/** Time for which a provider that was not found is not looked for again. */
const faultMs = 30_000

/** Opens the HTTP client for identity providers, with the operator's egress settings. */
export const openProviderOutbound = (config: Config): Outbound =>
  createOutbound({
    allowedCidrs: config.ssoAllowedCidrs,
    allowedPorts: config.ssoAllowedPorts,
    dnsServers: config.dnsServers,
    timeoutSeconds: config.ssoTimeoutSeconds,
  })

/** Returns a connection as its provider knows it. */
const oidcClientOf = (secrets: ConnectionSecrets, row: ConnectionRow): OidcClient => ({
  issuer: present(oidcSettingsOf(row)).issuer,
  clientId: present(oidcSettingsOf(row)).client_id,
  clientSecret: row.sealed_secret === null ? null : secrets.unsealSecret(row.org_id, row.id, row.sealed_secret),
})

export function createProviders({ config, clock }: Pick<Platform, 'config' | 'clock'>): Providers {
  const outbound = openProviderOutbound(config)
  const secrets = createConnectionSecrets(config)
  const known = new Lru<string, Remembered>(maxProviders)
  const nowMs = () => clock.now().getTime()
  // A connection that was changed is another one.
  const keyOf = ({ id, updated_at }: ConnectionRow) => `${id} ${updated_at.toISOString()}`

  const discover = (connection: ConnectionRow) => discoverProvider(outbound, oidcClientOf(secrets, connection))

  return {
    of: async (connection) => {
      const remembered = known.get(keyOf(connection))
      if (remembered && nowMs() < remembered.untilMs) return remembered.found
      const found = discover(connection)
      const entry: Remembered = { found, untilMs: Number.POSITIVE_INFINITY }
      known.set(keyOf(connection), entry)
      entry.untilMs = nowMs() + (typeof (await found) === 'string' ? faultMs : rememberedMs)
      return found
    },
    anew: async (connection) => {
      const found = await discover(connection)
      if (typeof found !== 'string')
        known.set(keyOf(connection), { found: Promise.resolve(found), untilMs: nowMs() + rememberedMs })
      return found
    },
    close: outbound.close,
  }
}
