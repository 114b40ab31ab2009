import type { GatewayConfig } from '../src/config-schema.ts'

/** A gateway before one provider, with room for every call of a benchmark. */
export const benchConfig = (
  provider: string,
  { port, weirUrl }: { readonly port: number; readonly weirUrl?: string },
): GatewayConfig => ({
  listen: { port },
  weir: { timeout_seconds: 60, ...(weirUrl !== undefined && { url: weirUrl }) },
  providers: { openai: { kind: 'openai', base_url: provider, credential: { none: true }, connections: 10_000 } },
  limits: { in_flight: 10_000 },
})
