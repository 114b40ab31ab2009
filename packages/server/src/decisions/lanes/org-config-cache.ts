import { optInsOf } from '../../access/events/events.ts'
import { setVersion } from '../../governance/policies/policies.ts'
import { loadChainBounds } from '../../money/chains/chains.ts'
import { loadCustomerDefault } from '../../money/customers/customers.ts'
import { loadDimensions } from '../../money/dimensions/dimensions.ts'
import { type CustomerFacts, configVersion, limitOf, limitsInForce, loadFreezes } from '../../money/ledger/ledger.ts'
import { kindOf } from '../../money/limit-kinds.ts'
import { loadPriceBook } from '../../money/prices/prices.ts'
import { loadTopUps } from '../../money/quota/quota.ts'
import { loadTrust } from '../../money/trust/trust.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { loadRetention } from '../../records/retention/retention.ts'
import type { CustomerHints } from './customer-hints.ts'
import type { OrgConfig } from './operations.ts'
import type { OrgSnapshot } from './snapshot.ts'

const maxOrgs = 20_000
const maxCustomersPerOrg = 2_000
const noCustomers: ReadonlyMap<string, CustomerFacts> = new Map()

/**
 * Cache of organizations' configuration. An entry may be stale: a batch compares its version with the ledger's under the lock,
 * and reloads it before deciding by it.
 */
export interface OrgConfigCache {
  /** Returns the cached configuration, if there is one. */
  readonly get: (orgId: string) => OrgConfig | undefined
  /** Loads the configuration into the cache. */
  readonly load: (orgId: string) => Promise<OrgConfig>
  readonly evict: (orgId: string) => void
  readonly customerHints: CustomerHints
}

export function createOrgConfigCache(sql: Sql): OrgConfigCache {
  const configs = new Map<string, OrgConfig>()
  const loading = new Map<string, Promise<OrgConfig>>()
  const customers = new Map<string, OrgSnapshot['customers']>()

  async function load(orgId: string) {
    // The version first: whatever is read after it can only be newer, and then the version in the ledger differs.
    const orgConfig = await sql.asOrgs([orgId], async (tx): Promise<OrgConfig> => {
      const version = await configVersion(tx, orgId)
      return {
        version,
        limits: (await limitsInForce(tx, orgId)).map((row) => limitOf(row, kindOf(row.kind))),
        customerDefault: await loadCustomerDefault(tx, orgId),
        topUps: await loadTopUps(tx, orgId),
        freezes: await loadFreezes(tx, orgId),
        prices: await loadPriceBook(tx, orgId),
        trust: await loadTrust(tx, orgId),
        dimensions: await loadDimensions(tx, orgId),
        chainBounds: await loadChainBounds(tx, orgId),
        retention: await loadRetention(tx, orgId),
        optIns: await optInsOf(tx, orgId),
        policySet: await setVersion(tx, orgId),
      }
    })
    evictOldest(configs, maxOrgs)
    configs.set(orgId, orgConfig)
    return orgConfig
  }

  return {
    get: (orgId) => configs.get(orgId),
    load: (orgId) => {
      const underway = loading.get(orgId)
      if (underway) return underway
      const promise = load(orgId).finally(() => loading.delete(orgId))
      loading.set(orgId, promise)
      return promise
    },
    evict: (orgId) => {
      configs.delete(orgId)
    },
    customerHints: {
      get: (orgId) => customers.get(orgId) ?? noCustomers,
      learn: (orgId, reading) => {
        if (reading.namedCustomers.size === 0) return
        const known = customers.get(orgId) ?? new Map()
        if (known.size > maxCustomersPerOrg) known.clear()
        for (const customerId of reading.namedCustomers) {
          const facts = reading.customers.get(customerId)!
          if (facts.own === null && facts.packs.length === 0) known.delete(customerId)
          else known.set(customerId, facts)
        }
        evictOldest(customers, maxOrgs)
        customers.set(orgId, known)
      },
    },
  }
}

function evictOldest(map: Map<string, unknown>, most: number) {
  if (map.size < most) return
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
