import { beforeAll, expect, test } from 'vitest'
import {
  isWithin,
  laterSeconds,
  overlapSeconds,
  scopesOfWorld,
  soonSeconds,
  type Worth,
} from '../../proofs/authority/worth.ts'
import type { Role } from '../../src/contract/routes.ts'
import { useServer } from '../support/harness.ts'
import { firstSeed, Random } from '../support/random.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The world of the model over HTTP, with hours for its minutes, so that a slow machine lets nothing end by itself. */

const scale = 100
const sequences = Number(process.env['WEIR_AUTHORITY_SEQUENCES'] ?? 200)
const server = useServer()
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

interface Held {
  readonly id: string
  readonly secret: string
}

interface Sent {
  readonly path: string
  readonly body: object
  readonly idempotencyKey: string | undefined
}

const send = (secret: string, { path, body, idempotencyKey }: Sent) =>
  call(server.url, 'POST', `/v1/orgs/${acme.id}/keys${path}`, {
    key: secret,
    body,
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  })

const roles: readonly Role[] = ['service', 'admin', 'owner']
const pins = [{}, { workflow_id: 'w1' }, { workflow_id: 'w2' }]

/** One adversary, one owner and one other key, and what they send. */
class Sequence {
  private readonly startedMs = Date.now()
  private readonly keys: Held[] = []
  private known: Held[] = []
  private worth!: Worth
  private owners: Held[] = []
  private readonly ownersRequests: Sent[] = []
  readonly faults: string[] = []
  readonly counts = { shown: 0, replayed: 0, refused: 0 }

  private readonly random: Random
  private readonly name: string

  constructor(random: Random, name: string) {
    this.random = random
    this.name = name
  }

  private at(seconds: number) {
    return new Date(this.startedMs + seconds * scale * 1_000)
  }

  private async made(worth: Worth): Promise<Held> {
    const { role, scopes, pins: bound, end } = worth
    const { id, key } = await keyOf(server, acme.id, {
      role,
      scopes,
      pins: { ...bound },
      ...(end !== null && { expiresAt: this.at(end) }),
    })
    this.keys.push({ id, secret: key })
    return { id, secret: key }
  }

  private anyWorth(possible: readonly Role[]): Worth {
    const { random } = this
    const scopes = random.chance(0.5) ? scopesOfWorld : scopesOfWorld.slice(0, 1)
    return { role: random.pick(possible), scopes, pins: random.pick(pins), end: random.pick([soonSeconds, null]) }
  }

  async begin() {
    this.owners = [await this.made({ role: 'owner', scopes: scopesOfWorld, pins: {}, end: null })]
    this.worth = this.anyWorth(['admin', 'owner'])
    this.known = [await this.made(this.worth)]
    await this.made(this.anyWorth(roles))
  }

  private request(): Sent {
    const { random } = this
    const idempotencyKey = random.chance(0.3) ? this.name : undefined
    const kind = random.pick(['mint', 'rotate', 'rotate', 'revoke'])
    const target = random.pick(this.keys).id
    if (kind === 'revoke') return { path: `/${target}/revoke`, body: {}, idempotencyKey }
    if (kind === 'rotate')
      return {
        path: `/${target}/rotate`,
        body: { overlap_seconds: random.pick([0, overlapSeconds * scale]) },
        idempotencyKey,
      }
    const { role, scopes } = this.anyWorth(roles)
    const end = random.pick([undefined, soonSeconds, laterSeconds])
    const body = {
      name: this.name,
      role,
      scopes,
      ...(random.chance(0.5) && { pins: random.pick(pins) }),
      ...(end !== undefined && { expires_at: this.at(end).toISOString() }),
    }
    return { path: '', body, idempotencyKey }
  }

  async step() {
    const { random } = this
    if (random.chance(0.3)) {
      const request = { ...this.request(), idempotencyKey: this.name }
      this.ownersRequests.push(request)
      const answer = await send(this.owners.at(-1)!.secret, request)
      const shown = heldIn(answer)
      if (shown) this.keys.push(shown)
      if (shown && request.path.includes(this.owners.at(-1)!.id)) this.owners.push(shown)
      return
    }
    const isGuess = this.ownersRequests.length > 0 && random.chance(0.5)
    const answer = await send(
      random.pick(this.known).secret,
      isGuess ? random.pick(this.ownersRequests) : this.request(),
    )
    if (answer.status >= 300) this.counts.refused++
    if (answer.headers.get('idempotent-replayed') === 'true') this.counts.replayed++
    const shown = heldIn(answer)
    if (!shown) return
    this.counts.shown++
    this.keys.push(shown)
    this.known.push(shown)
    await this.judge(answer, shown)
  }

  /** Compares a key that the adversary was shown with the one that it began with: as it was answered, and as it is in use. */
  private async judge({ json }: Answer, { secret }: Held) {
    const { json: used } = await call(server.url, 'GET', '/v1/me', { key: secret })
    for (const said of [json, used]) {
      if (said.error) continue
      const { role, scopes, pins: bound, expires_at } = said as unknown as Worth & { expires_at: string | null }
      const end = expires_at === null ? null : (Date.parse(expires_at) - this.startedMs) / 1_000 / scale
      const worth = { role, scopes, pins: bound, end }
      if (!isWithin(worth, this.worth))
        this.faults.push(`${JSON.stringify(this.worth)} was shown ${JSON.stringify(worth)}`)
    }
  }
}

const heldIn = ({ json }: Answer): Held | undefined =>
  typeof json['secret'] === 'string' ? { id: String(json['id']), secret: json['secret'] } : undefined

test(`${sequences} sequences of four requests show nobody a key with more than its own`, {
  timeout: 600_000,
}, async () => {
  const seed = firstSeed()
  console.log(`WEIR_SEED=${seed}`)
  const totals = { shown: 0, replayed: 0, refused: 0 }
  for (let i = 0; i < sequences; i++) {
    const sequence = new Sequence(new Random(seed + i), `call-${i}`)
    await sequence.begin()
    for (let step = 0; step < 4; step++) await sequence.step()
    expect({ seed: seed + i, faults: sequence.faults }).toEqual({ seed: seed + i, faults: [] })
    for (const name of ['shown', 'replayed', 'refused'] as const) totals[name] += sequence.counts[name]
  }
  console.log(totals)
  expect(totals.shown).toBeGreaterThan(sequences / 4)
  expect(totals.refused).toBeGreaterThan(sequences / 4)
})
