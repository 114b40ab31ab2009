import type { Config } from '../config.ts'
import { createOutbound, type Outbound } from '../infra/outbound.ts'

/** The way out to subscribers' endpoints, as the operator allows it. */
export const openOutbound = (config: Config): Outbound =>
  createOutbound({
    allowedCidrs: config.webhookAllowedCidrs ?? [],
    allowedPorts: config.webhookAllowedPorts,
    dnsServers: config.webhookDnsServers,
    timeoutSeconds: config.webhookTimeoutSeconds,
  })
