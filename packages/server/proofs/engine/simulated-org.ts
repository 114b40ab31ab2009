import type { OrgConfig } from '../../src/decisions/lanes/lanes.ts'
import { boundsOfNewChain, chainKey } from '../../src/money/chains/chains.ts'
import {
  type Allowance,
  type ChainBounds,
  type ChainPlace,
  type Charge,
  type CustomerFacts,
  type DefaultLimit,
  type Limit,
  type Pack,
  type ScopedLimit,
  type Surface,
  scopeKinds,
} from '../../src/money/ledger/ledger.ts'
import { type PlannedSchedule, periodUnits, replan, type Schedule } from '../../src/values/period.ts'
import type { Random } from '../../test/support/random.ts'
import { budgetScopes, customerIds, ids, isNamed, keyIds, scopeOf } from './simulated-scopes.ts'

/** Where clocks change at night, at midnight, by half an hour, on other days than elsewhere, or never. */
const zones = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Santiago',
  'Pacific/Auckland',
]
const anchors = [null, null, '2026-01-07', '2026-01-31', '2024-02-29']
const hour = 3_600_000

/** An organization whose limits of every kind come, change and go by chance. Each change makes new objects, as reading anew does. */
export class SimulatedOrg {
  private readonly random: Random
  private version = 1n
  private limits: ScopedLimit[] = []
  private customerDefault: DefaultLimit | null = null
  private topUps: Pack[] = []
  private readonly customers = new Map<string, { own: Limit | null; packs: Pack[] }>()
  private readonly most = new Map<string, bigint>()
  private chainBounds = new Map<string, ChainBounds>()
  /** The chains that have begun, each with what bounded it then. */
  private readonly chains = new Map<string, ChainBounds>()

  constructor(random: Random, nowMs: number) {
    this.random = random
    for (const id of customerIds) this.customers.set(id, { own: null, packs: [] })
    for (let i = random.between(3, 14); i > 0; i--) this.change(nowMs)
  }

  get definitions(): OrgConfig {
    const { version, limits, customerDefault, topUps, chainBounds } = this
    // Neither is asked for: the simulation says itself what a call costs, and keeps no runs.
    const unasked = { prices: {}, retention: {} } as Pick<OrgConfig, 'prices' | 'retention'>
    return { version, limits, customerDefault, topUps, chainBounds, policySet: 0n, optIns: new Set(), ...unasked }
  }

  customer(id: string | undefined): CustomerFacts | undefined {
    return id === undefined ? undefined : this.customers.get(id)
  }

  /** What a call costs; of a run perhaps within a chain. */
  charge(isRun: boolean): Charge {
    const { random } = this
    const workflowId = random.chance(0.3) ? undefined : random.pick(ids)
    const id = (from: readonly string[]) => (random.chance(0.3) ? undefined : random.pick(from))
    return {
      usd: random.chance(0.1) ? 0n : random.amount(random.pick([5, 20, 60])),
      tokens: random.amount(30),
      runs: 1n,
      departmentId: id(ids),
      workflowId,
      deploymentId: id(ids),
      customerId: id(customerIds),
      userId: id(ids),
      keyId: random.pick(keyIds),
      model: random.pick(ids),
      provider: id(ids),
      tags: random.some(ids, 0.5),
      chain: isRun && random.chance(0.6) ? this.chainPlace(workflowId) : undefined,
    }
  }

  private chainPlace(workflowId: string | undefined): ChainPlace {
    const { random } = this
    const known = [...this.chains].slice(-4)
    const depth = random.between(1, 5)
    if (known.length > 0 && random.chance(0.9)) {
      const [chainId, bounds] = random.pick(known)
      return { ...bounds, chainId, depth }
    }
    const chainId = random.uuid()
    const bounds = boundsOfNewChain(
      this.chainBounds,
      workflowId,
      random.chance(0.5) ? { max_tokens: random.int(300), max_depth: random.between(2, 8) } : undefined,
    )
    this.chains.set(chainId, bounds)
    return { ...bounds, chainId, depth }
  }

  /** The limits that a charge has to meet, in the order of their ids. */
  applying(charge: Charge, surface: Surface, nowMs: number): string[] {
    const isWhole = surface !== 'edge'
    const { customerId, chain } = charge
    const limits = this.limits.filter(
      (limit) =>
        (limit.kind !== 'plan' || surface !== 'edge') &&
        (limit.kind !== 'concurrency' || surface === 'start') &&
        isNamed(charge, limit) &&
        (limit.and === undefined || isNamed(charge, limit.and)),
    )
    const customer = customerId === undefined ? undefined : this.customers.get(customerId)
    const own = customer && (customer.own ?? this.customerDefault)
    const packs = (isWhole && customer ? customer.packs : []).filter(
      ({ voidedAtMs, expiresAtMs }) => voidedAtMs === null && (expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs,
    )
    const all = [...limits, ...(own ? [own] : []), ...packs, ...this.topUps].map(({ id }) => id)
    // Cost and tokens are counted of every run in a chain; its depth is only spoken of where it is too deep.
    const isTooDeep = chain && chain.maxDepth !== null && chain.depth > chain.maxDepth
    if (isWhole && chain) all.push(...Array(isTooDeep ? 3 : 2).fill(chainKey(chain.chainId, 'usd')))
    return all.sort()
  }

  /** What a row may hold by what is set now; undefined where its limit is gone, counts only, or only warns. */
  enforced({ kind, limitId, subject, unit }: Allowance): bigint | undefined {
    const chain = kind === 'chain' ? this.chains.get(subject) : undefined
    if (chain) return (unit === 'usd' ? chain.maxCostNano : chain.maxTokens) ?? undefined
    return this.most.get(kind === 'known_customer' || kind === 'new_customers' ? `${kind} ${limitId}` : limitId)
  }

  private learn() {
    this.most.clear()
    const customers = [...this.customers.values()]
    for (const { id, amount } of [...this.topUps, ...customers.flatMap(({ packs }) => packs)]) this.most.set(id, amount)
    for (const limit of [...this.limits, this.customerDefault, ...customers.map(({ own }) => own)])
      if (limit?.enforcement === 'block' && limit.amount !== null) this.most.set(limit.id, limit.amount)
    if (this.customerDefault)
      this.most.set(`new_customers ${this.customerDefault.id}`, this.customerDefault.maxNewPerDay)
  }

  /** One change by somebody who may. */
  change(nowMs: number) {
    this.version++
    this.changeOne(nowMs)
    this.learn()
  }

  private changeOne(nowMs: number) {
    const { random } = this
    const kind = random.pick([
      'cap',
      'budget',
      'budget',
      'budget',
      'plan',
      'concurrency',
      'default',
      'own',
      'pack',
      'pack',
      'void',
      'top-up',
      'chain',
    ])
    if (kind === 'cap') this.put('spend_cap', () => ({ ...this.limit('spend_cap', 'day'), ...this.orgWide }), nowMs)
    else if (kind === 'budget') this.changeBudget(nowMs)
    else if (kind === 'plan') this.changePlan()
    else if (kind === 'concurrency') this.changeConcurrency(nowMs)
    else if (kind === 'default') this.changeDefault(nowMs)
    else if (kind === 'chain') this.changeChains()
    else if (kind === 'top-up') {
      if (this.topUps.length > 0 || random.chance(0.3)) this.topUps = [...this.topUps, this.pack('', nowMs, false)]
    } else {
      const customerId = random.pick(customerIds)
      const customer = this.customers.get(customerId)!
      if (kind === 'own') {
        if (random.chance(0.3)) customer.own = null
        else customer.own = customer.own ? this.changed(customer.own, nowMs) : this.limit('customer')
      } else if (kind === 'pack') customer.packs = [...customer.packs, this.pack(customerId, nowMs, random.chance(0.5))]
      else customer.packs = customer.packs.map((pack) => (random.chance(0.3) ? { ...pack, voidedAtMs: nowMs } : pack))
    }
  }

  private readonly orgWide = { scopeKind: 'org', scopeId: '', enforcement: 'block', thresholds: [] } as const

  private changeBudget(nowMs: number) {
    const { random } = this
    const scopeKind = random.pick(budgetScopes)
    const second = random.pick(scopeKinds.filter((kind) => kind !== 'org' && kind !== scopeKind))
    const made = (): ScopedLimit => ({
      ...this.limit('budget'),
      ...scopeOf(random, scopeKind),
      ...(scopeKind !== 'org' && random.chance(0.25) && { and: scopeOf(random, second) }),
      enforcement: random.chance(0.25) ? 'alert' : 'block',
      thresholds: random.some([50, 80, 100], 0.5),
    })
    if (this.limits.length < 16 && random.chance(0.4)) this.limits = [...this.limits, made()]
    else this.put('budget', made, nowMs)
  }

  private changeConcurrency(nowMs: number) {
    const { random } = this
    const scope = scopeOf(random, random.pick(scopeKinds))
    const made = (): ScopedLimit => ({
      ...this.limit('concurrency', 'day'),
      ...this.orgWide,
      unit: 'concurrent_runs',
      amount: random.amount(6),
      ...scope,
    })
    if (random.chance(0.3)) this.limits = [...this.limits, made()]
    else this.put('concurrency', made, nowMs)
  }

  /** Sets the only one of its kind, or changes or ends one of them. */
  private put(kind: string, made: () => ScopedLimit, nowMs: number) {
    const known = this.limits.filter((limit) => limit.kind === kind)
    if (known.length === 0) {
      this.limits = [...this.limits, made()]
      return
    }
    const limit = this.random.pick(known)
    const rest = this.limits.filter((other) => other !== limit)
    this.limits = this.random.chance(0.1) ? rest : [...rest, this.changed(limit, nowMs)]
  }

  private changePlan() {
    const { random } = this
    const enforcement = random.chance(0.3) ? 'alert' : 'block'
    const known = this.limits.filter(({ kind }) => kind === 'plan')
    const schedule = { current: { unit: 'month', anchor: null, timezone: 'UTC' }, next: null } as const
    const rows = (['runs', 'tokens'] as const).map((unit): ScopedLimit => {
      const row = known.find((limit) => limit.unit === unit) ?? {
        ...this.limit('plan'),
        ...this.orgWide,
        unit,
        schedule,
      }
      const amount = random.chance(0.2) ? null : random.amount(unit === 'runs' ? 120 : 2_000)
      return { ...row, amount, enforcement }
    })
    this.limits = [...this.limits.filter(({ kind }) => kind !== 'plan'), ...rows]
  }

  private changeDefault(nowMs: number) {
    const { random } = this
    const maxNewPerDay = random.amount(4)
    if (!this.customerDefault) this.customerDefault = { ...this.limit('customer'), maxNewPerDay }
    else if (random.chance(0.1)) this.customerDefault = null
    else if (random.chance(0.4)) this.customerDefault = { ...this.customerDefault, maxNewPerDay }
    else this.customerDefault = { ...this.customerDefault, ...this.changed(this.customerDefault, nowMs) }
  }

  private changeChains() {
    const { random } = this
    const bounds = (): ChainBounds => ({
      maxCostNano: random.chance(0.2) ? null : random.amount(random.pick([40, 200])),
      maxTokens: random.chance(0.4) ? null : random.amount(random.pick([40, 200])),
      maxDepth: random.chance(0.5) ? null : random.between(2, 5),
    })
    this.chainBounds = new Map(random.some(['', ...ids], 0.7).map((workflowId) => [workflowId, bounds()]))
  }

  private changed<T extends Limit>(limit: T, nowMs: number): T {
    const { random } = this
    if (limit.kind === 'budget' && random.chance(0.15))
      return { ...limit, enforcement: limit.enforcement === 'block' ? 'alert' : 'block' }
    if (random.chance(0.25)) {
      const wanted = this.schedule(limit.kind === 'spend_cap' ? 'day' : undefined)
      return { ...limit, schedule: replan(limit.schedule, wanted, nowMs) }
    }
    return { ...limit, amount: this.amount(limit.kind) }
  }

  private limit(kind: string, unit?: Schedule['unit']): Limit {
    return {
      id: this.random.uuid(),
      kind,
      unit: 'usd',
      amount: this.amount(kind),
      schedule: { current: this.schedule(unit), next: null } satisfies PlannedSchedule,
      enforcement: 'block',
      thresholds: [],
    }
  }

  private amount(kind: string): bigint | null {
    const { random } = this
    if (kind === 'concurrency') return random.amount(6)
    if (kind !== 'spend_cap' && random.chance(0.1)) return null
    return random.chance(0.05) ? 0n : random.amount(random.pick([60, 400, 2_000]))
  }

  private schedule(unit: Schedule['unit'] = this.random.pick(periodUnits)): Schedule {
    const anchor = unit === 'day' ? null : this.random.pick(anchors)
    return { unit, anchor, timezone: this.random.pick(zones) }
  }

  private pack(owner: string, nowMs: number, isExpiring: boolean): Pack {
    const { random } = this
    return {
      id: random.uuid(),
      owner,
      amount: random.amount(random.pick([20, 200, 1_000])),
      priority: random.int(3),
      expiresAtMs: isExpiring ? nowMs + random.between(1, 72) * hour : null,
      voidedAtMs: null,
      createdAtMs: nowMs,
    }
  }
}
