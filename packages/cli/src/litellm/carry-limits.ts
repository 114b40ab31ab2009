import type { Client } from '../api/client.ts'
import { nanoUsd, usdOfNanos } from '../output/amounts.ts'
import { fieldOf, type Json, recordsOf, textOf } from '../values.ts'
import { labelOf, normalName, timeOf } from './labels.ts'
import type { LimitPlan, Scope } from './limits.ts'
import { spentNanos } from './nanos.ts'
import { inParallel } from './parallel.ts'
import { startOfPeriod } from './periods.ts'
import { modelOf } from './runs.ts'
import type { SpendLog } from './source.ts'

const atOnce = 8
/** The beginning of the reason of every adjustment of an import, by which a later one knows it. */
const reason = 'Imported from LiteLLM'

/** A limit that is there, with its plan. */
interface CarriedLimit {
  readonly plan: LimitPlan
  readonly row: Json
  readonly periodStart: number
  /** What Weir counts itself from calls in LiteLLM's log. */
  counted: bigint
}

export interface Desk {
  readonly client: Client
  readonly path: string
  readonly onProgress: (what: string, done: number, all: number) => void
}

const scopeFields = ['scope_kind', 'scope_id', 'and_scope_kind', 'and_scope_id', 'customer_id'] as const
const isExact = (kind: string) => kind === 'key' || kind === 'model' || kind === 'provider'

/** Names what a limit is on, however its ids are spelled. None has a line break in it. */
function nameOfScope(scope: Json): string {
  const [kind = '', id = '', andKind = '', andId = '', customer = ''] = scopeFields.map((name) => textOf(scope, name))
  const idIn = (of: string, text: string) => (isExact(of) ? text : normalName(text))
  return [kind, idIn(kind, id), andKind, idIn(andKind, andId), normalName(customer)].join('\n')
}
const nameOfLimit = (scope: Json, period = '') => `${nameOfScope(scope)}\n${period}`

/** The limits of an import: made where they are not there, and raised to what LiteLLM has counted. */
export class CarriedLimits {
  readonly #desk: Desk
  readonly #limits: CarriedLimit[] = []
  /** The same limits by what they are on; each call asks for several. */
  readonly #byScope = new Map<string, CarriedLimit[]>()
  made = 0
  there = 0
  different: string[] = []
  adjusted = 0
  frozen = 0

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async make(plans: readonly LimitPlan[]) {
    const { client, path } = this.#desk
    const [budgets, customers] = [await client.all(`${path}/budgets`), await client.all(`${path}/customer-limits`)]
    const known = new Map([
      ...budgets.map((row) => [nameOfLimit(row, textOf(row, 'period')), row] as const),
      ...customers.map((row) => [nameOfLimit(row), row] as const),
    ])
    let done = 0
    const wanted = new Map<string, LimitPlan>()
    for (const plan of plans) {
      const name = nameOfLimit(plan.scope, plan.scope['customer_id'] === undefined ? plan.period : '')
      if (wanted.has(name)) this.different.push(`${plan.what}: another one has the same name in Weir`)
      else wanted.set(name, plan)
    }
    await inParallel(wanted, atOnce, async ([name, plan]) => {
      const found = known.get(name)
      if (found) this.there += 1
      else this.made += 1
      if (found && textOf(found, 'limit_usd') !== textOf(plan.body, 'limit_usd'))
        this.different.push(
          `${plan.what}: $${textOf(found, 'limit_usd')} in Weir, $${textOf(plan.body, 'limit_usd')} in LiteLLM`,
        )
      const row = found ?? (await this.#makeOne(plan))
      const limit = { plan, row, periodStart: timeIn(row, 'period_start'), counted: 0n }
      this.#limits.push(limit)
      const scope = nameOfScope(plan.scope)
      this.#byScope.set(scope, [...(this.#byScope.get(scope) ?? []), limit])
      this.#desk.onProgress('limits', ++done, wanted.size)
    })
  }

  async #makeOne({ scope, period, body }: LimitPlan): Promise<Json> {
    const { client, path } = this.#desk
    const customer = scope['customer_id']
    if (customer !== undefined) {
      const { json } = await client.send('PUT', `${path}/customers/${encodeURIComponent(customer)}/limit`, {
        body: { ...body, period },
      })
      return json as Json
    }
    // What was recorded in the period before there was a budget counts too, whichever import recorded it.
    const counts_from = startOfPeriod(period, textOf(body, 'anchor'), new Date()).toISOString()
    return (await client.send('POST', `${path}/budgets`, { body: { ...body, ...scope, period, counts_from } }))
      .json as Json
  }

  /** Counts a call of the log against the budgets that count it in Weir too. Those of its key do where it is recorded as the key's. */
  count(log: SpendLog, keyId: string | undefined) {
    const cost = spentNanos(log.spend)
    if (cost === 0n) return
    const started = timeOf(log.started)?.getTime() ?? 0
    for (const scope of scopesOf(log, keyId))
      for (const limit of this.#byScope.get(nameOfScope(scope)) ?? [])
        if (started >= limit.periodStart) limit.counted += cost
  }

  /**
   * Raises each budget by what LiteLLM has counted, Weir has not, and no earlier import has added. The limit of an end user, whose calls cannot be
   * told apart so, is raised where LiteLLM has counted more.
   */
  async settle() {
    const { client, path } = this.#desk
    const added = await this.#added()
    const customers = new Map(
      (await client.all(`${path}/customer-limits`)).map((row) => [
        textOf(row, 'id'),
        nanoUsd(textOf(row, 'spent_usd')),
      ]),
    )
    let done = 0
    await inParallel(this.#limits, atOnce, async ({ plan, row, periodStart, counted }) => {
      const [id, customer] = [textOf(row, 'id'), textOf(plan.scope, 'customer_id')]
      const here = customer === '' ? counted + (added.get(periodName(id, periodStart)) ?? 0n) : customers.get(id)
      const missing = plan.spent - (here ?? 0n)
      if (missing > 0n) {
        const text = `${reason}: it had counted $${usdOfNanos(plan.spent)}.`
        const body = {
          limit_id: id,
          amount_usd: usdOfNanos(missing),
          reason: text,
          ...(customer !== '' && { customer_id: customer }),
        }
        await client.send('POST', `${path}/ledger/adjustments`, { body })
        this.adjusted += 1
      }
      this.#desk.onProgress('spent amounts', ++done, this.#limits.length)
    })
  }

  /** Returns what earlier imports have added to limits in their periods. */
  async #added(): Promise<Map<string, bigint>> {
    const { client, path } = this.#desk
    const added = new Map<string, bigint>()
    for await (const entry of client.rows(`${path}/ledger/adjustments`)) {
      if (!textOf(entry, 'reason').startsWith(reason)) continue
      for (const change of recordsOf(fieldOf(entry, 'changes'))) {
        const name = periodName(textOf(change, 'limit_id'), timeIn(change, 'period_start'))
        added.set(name, (added.get(name) ?? 0n) + nanoUsd(textOf(change, 'spent')))
      }
    }
    return added
  }

  /** Freezes what is blocked in LiteLLM. */
  async freeze(keyIds: readonly string[]) {
    const { client, path } = this.#desk
    const frozen = new Set(
      recordsOf((await client.get(`${path}/freezes`))['data']).map((row) => textOf(row, 'target_id')),
    )
    const blocked = this.#limits.filter(({ plan }) => plan.isBlocked).map(({ row }) => textOf(row, 'id'))
    const paths = [
      ...blocked.filter((id) => !frozen.has(id)).map((id) => `${path}/limits/${id}/freeze`),
      ...keyIds.filter((id) => !frozen.has(id)).map((id) => `${path}/keys/${id}/freeze`),
    ]
    await inParallel(paths, atOnce, async (one) => {
      await client.send('POST', one, { body: { reason: 'It was blocked in LiteLLM.' } })
      this.frozen += 1
    })
  }
}

const periodName = (limitId: string, startMs: number) => `${limitId} ${startMs}`

const timeIn = (row: Json, name: string) => Date.parse(textOf(row, name)) || 0

/** Returns the scopes of limits that a call counts against. */
function* scopesOf(log: SpendLog, keyId: string | undefined): Generator<Scope> {
  const [department, user, model] = [labelOf(log.team_id), labelOf(log.user), modelOf(log)]
  const parts: [string, string][] = []
  if (keyId !== undefined) parts.push(['key', keyId])
  if (department !== undefined) parts.push(['department', department])
  if (user !== undefined) parts.push(['user', user])
  yield { scope_kind: 'org' }
  for (const [scope_kind, scope_id] of parts) {
    yield { scope_kind, scope_id }
    yield { scope_kind, scope_id, and_scope_kind: 'model', and_scope_id: model }
  }
  if (department !== undefined && user !== undefined)
    yield { scope_kind: 'department', scope_id: department, and_scope_kind: 'user', and_scope_id: user }
}
