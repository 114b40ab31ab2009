import type { Config } from '../../config.ts'

/** Public URLs of this service. Without a configured one they follow from the port, known once the server listens. */
export interface Addresses {
  readonly publicUrl: () => string
  readonly docsUrl: () => string
  readonly setPort: (port: number) => void
}

export function createAddresses(config: Pick<Config, 'publicUrl' | 'docsUrl' | 'port'>): Addresses {
  let port = config.port
  const publicUrl = () => config.publicUrl ?? `http://localhost:${port}`
  return {
    publicUrl,
    docsUrl: () => config.docsUrl ?? `${publicUrl()}/docs`,
    setPort: (actual) => {
      port = actual
    },
  }
}
