import { type GuardOptions, guardedFetch, type RunLabels } from './fetch.ts'
import type { Weir } from './weir.ts'

/** A client of a provider's SDK, as far as it can be given another `fetch`. */
interface ConfigurableClient {
  withOptions(options: { fetch: typeof globalThis.fetch }): unknown
}

/** Returns a client like the given one that sends its requests through `guardedFetch`, and that through the `fetch` which it has. */
export function guardedClient<Client extends ConfigurableClient>(
  client: Client,
  weir: Weir,
  labels: RunLabels,
  options: GuardOptions,
): Client {
  const own: unknown = Reflect.get(client, 'fetch')
  const fetch = options.fetch ?? (typeof own === 'function' ? (own as typeof globalThis.fetch) : globalThis.fetch)
  return client.withOptions({ fetch: guardedFetch(weir, labels, { ...options, fetch }) }) as Client
}
