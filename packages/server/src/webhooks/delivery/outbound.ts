import type { Config } from '../../config.ts'
import { createOutbound, type Outbound } from '../../platform/infra/outbound.ts'

/** Opens the HTTP client for subscribers' endpoints, with the operator's egress settings. */
export const openOutbound = (config: Config): Outbound =>
  createOutbound({
    allowedCidrs: config.webhookAllowedCidrs ?? [],
    allowedPorts: config.webhookAllowedPorts,
    dnsServers: config.webhookDnsServers,
    timeoutSeconds: config.webhookTimeoutSeconds,
  })
