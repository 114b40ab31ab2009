import type { GatewayConfig } from '../config-schema.ts'
import type { Clock } from '../infra/clock.ts'
import type { Journal } from '../infra/journal.ts'
import type { Log } from '../infra/log.ts'
import type { Metrics } from '../infra/metrics.ts'
import type { Models } from '../models/models.ts'
import type { Upstreams } from '../upstreams/upstream.ts'
import type { ProxyList } from '../values/proxy-list.ts'
import type { AbandonedStarts } from '../weir/abandoned-starts.ts'
import type { Organizations } from '../weir/organizations.ts'
import type { Settlements } from '../weir/settlements.ts'
import type { Weir } from '../weir/weir.ts'
import type { LearnedRates } from './learned-rates.ts'
import type { OwnedIds } from './owned-ids.ts'
import type { PrefixMemory } from './prefix-memory.ts'
import type { BufferedBytes } from './request-body.ts'
import type { TokenCounter } from './token-counter.ts'

/** The long-lived parts of a gateway that every call uses. */
export interface GatewayParts {
  readonly config: GatewayConfig
  readonly models: Models
  readonly upstreams: Upstreams
  readonly proxies: ProxyList
  readonly weir: Weir
  readonly settlements: Settlements
  readonly abandoned: AbandonedStarts
  readonly organizations: Organizations
  readonly journal: Journal | undefined
  readonly ownedIds: OwnedIds
  readonly counter: TokenCounter
  readonly rates: LearnedRates
  readonly memory: PrefixMemory
  readonly buffered: BufferedBytes
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}
