import type { Anthropic } from '@anthropic-ai/sdk'
import type { GuardOptions, RunLabels } from './fetch.ts'
import { guardedClient } from './guarded-client.ts'
import type { Weir } from './weir.ts'

export { refusalOf } from './refusal.ts'

/**
 * Returns a client like the given one, of which every request for an answer is a run under all limits: reserved before it is sent, settled at
 * what it used, streams and the SDK's own repetitions included.
 */
export function guardAnthropic<Client extends Pick<Anthropic, 'withOptions'>>(
  client: Client,
  weir: Weir,
  labels: RunLabels = {},
  options: GuardOptions = {},
): Client {
  return guardedClient(client, weir, labels, options)
}
