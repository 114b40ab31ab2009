import { idempotencyOf } from '../../src/access/idempotency/idempotency.ts'
import { type Caller, requireCanEnd } from '../../src/access/identity/identity.ts'
import { type KeySpec, powersOf, specifyKey, specifySuccessor } from '../../src/tenants/keys/key-spec.ts'
import type { KeyRow } from '../../src/tenants/keys/queries.ts'
import type { KeyInput } from '../../src/tenants/keys/schema.ts'
import { isWithin, isWithinAtAnyTime, ranks, scopesOfWorld, type Worth } from './worth.ts'

/**
 * A small world of keys in memory, in which requests are judged by the program's own rules. One holder, the adversary, starts with one
 * key and sends what it likes; the owner now and then sends something of its own, with an idempotency key that can be guessed.
 */

const now = new Date('2027-01-01T00:00:00Z')
export const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

export interface ModelKey {
  readonly row: KeyRow
  readonly isKnown: boolean
  /** A name by what it is and where it comes from, so that worlds which differ only in the order of requests are one. */
  readonly name: string
}

export interface World {
  readonly keys: readonly ModelKey[]
  /** What was answered under an idempotency key: to which request, with the secret of which key. */
  readonly kept: ReadonlyMap<string, { readonly hash: string; readonly shown: string | undefined }>
}

export type Act =
  | { readonly verb: 'mint'; readonly input: KeyInput }
  | { readonly verb: 'rotate'; readonly target: string; readonly overlap: number }
  | { readonly verb: 'revoke'; readonly target: string }

export interface Request {
  readonly caller: string
  readonly act: Act
  readonly idempotencyKey?: string
}

type Rest<F> = F extends (first: never, ...rest: infer R) => unknown ? R : never

/** The rules that judge requests; the program's own, or some that are broken on purpose. */
export interface Rules {
  readonly mint: (caller: Caller, ...rest: Rest<typeof specifyKey>) => KeySpec
  readonly rotate: (caller: Caller, ...rest: Rest<typeof specifySuccessor>) => KeySpec
  readonly revoke: (caller: Caller, found: KeyRow) => void
  readonly claim: (caller: Caller, key: string, act: Act) => { key: string; hash: string }
}

export const programRules: Rules = {
  mint: specifyKey,
  rotate: specifySuccessor,
  revoke: (caller, found) => requireCanEnd(caller, powersOf(found)),
  claim: (principal, key, act) => {
    const request = {
      method: 'POST',
      headers: { 'idempotency-key': key },
      route: { honoursKey: true },
      principal,
      raw: { url: `/v1/orgs/o/keys/${act.verb}` },
      bodyDigest: Buffer.from(JSON.stringify(act)),
    }
    const claimed = idempotencyOf(request as unknown as Parameters<typeof idempotencyOf>[0])!
    return { key: claimed.key, hash: claimed.hash.toString('hex') }
  },
}

export const worthOf = ({ role, scopes, pins, expires_at }: KeyRow): Worth => ({
  role,
  scopes,
  pins,
  end: expires_at === null ? null : (expires_at.getTime() - now.getTime()) / 1_000,
})

const callerOf = (row: KeyRow): Caller =>
  ({ kind: 'key', id: row.id, lineageId: row.lineage_id, orgId: row.org_id, ...powersOf(row) }) as Caller

type Origin = Pick<KeyRow, 'lineage_id' | 'rotated_from' | 'minted_by'>

const keyOf = (name: string, worth: Worth, isKnown: boolean, origin: Origin): ModelKey => ({
  name,
  isKnown,
  row: {
    org_id: 'o',
    minted_by_member: null,
    owner_id: null,
    id: name,
    name: 'k',
    role: worth.role,
    scopes: [...worth.scopes],
    pins: worth.pins,
    not_before: null,
    expires_at: worth.end === null ? null : at(worth.end),
    revoked_at: null,
    rotated_to: null,
    last_used_at: null,
    created_at: now,
    updated_at: now,
    ...origin,
  },
})

const original = (name: string): Origin => ({ lineage_id: name, rotated_from: null, minted_by: null })

export const ownersWorth: Worth = { role: 'owner', scopes: scopesOfWorld, pins: {}, end: null }

/** The world at its beginning: an owner, the adversary with one key, and one key of somebody else. */
export const worldOf = (adversary: Worth, other: Worth): World => ({
  keys: [
    keyOf('owner', ownersWorth, false, original('owner')),
    keyOf('adversary', adversary, true, original('adversary')),
    keyOf('other', other, false, original('other')),
  ],
  kept: new Map(),
})

export const worldText = ({ keys, kept }: World) =>
  JSON.stringify([
    keys
      .map(
        ({ name, isKnown, row }) =>
          `${name} ${isKnown} ${row.revoked_at !== null} ${row.expires_at?.getTime()} ${row.rotated_to}`,
      )
      .toSorted(),
    [...kept].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ])

const isAlive = ({ revoked_at, expires_at }: KeyRow) => revoked_at === null && (expires_at === null || expires_at > now)
const mayManageKeys = ({ role, scopes }: KeyRow) => ranks[role]! >= 3 && scopes.includes('keys:write')

/** What a request leads to, and the faults of that; nothing where it is refused. */
export interface Outcome {
  readonly world: World
  readonly faults: readonly string[]
}

export function carryOut(world: World, { caller, act, idempotencyKey }: Request, rules: Rules): Outcome | undefined {
  const sender = world.keys.find(({ name }) => name === caller)!
  if (!isAlive(sender.row) || !mayManageKeys(sender.row)) return undefined
  const principal = callerOf(sender.row)
  const claim = idempotencyKey === undefined ? undefined : rules.claim(principal, idempotencyKey, act)
  const kept = claim && world.kept.get(claim.key)
  if (kept) return kept.hash === claim.hash ? { world: shown(world, kept.shown, sender), faults: [] } : undefined
  try {
    const outcome = effect(world, sender, principal, act, rules)
    if (!claim) return outcome
    const answer = { hash: claim.hash, shown: outcome.shown }
    return { ...outcome, world: { ...outcome.world, kept: new Map([...world.kept, [claim.key, answer]]) } }
  } catch {
    return undefined
  }
}

const shown = (world: World, name: string | undefined, { isKnown }: ModelKey): World => ({
  ...world,
  keys: world.keys.map((key) => (key.name === name && isKnown ? { ...key, isKnown } : key)),
})

function effect(
  world: World,
  sender: ModelKey,
  principal: Caller,
  act: Act,
  rules: Rules,
): Outcome & { shown?: string } {
  const changed = (name: string, change: Partial<KeyRow>) =>
    world.keys.map((key) => (key.name === name ? { ...key, row: { ...key.row, ...change } } : key))
  if (act.verb === 'revoke') {
    const { row } = world.keys.find(({ name }) => name === act.target)!
    rules.revoke(principal, row)
    const faults = isWithinAtAnyTime(worthOf(row), worthOf(sender.row)) ? [] : [`${sender.name} ended ${act.target}`]
    return { world: { ...world, keys: changed(act.target, { revoked_at: now }) }, faults }
  }
  const found = act.verb === 'rotate' ? world.keys.find(({ name }) => name === act.target)!.row : undefined
  const wanted = found
    ? rules.rotate(principal, found, now)
    : rules.mint(principal, (act as { input: KeyInput }).input, now)
  const worth: Worth = {
    role: wanted.role,
    scopes: wanted.scopes,
    pins: wanted.pins ?? {},
    end: wanted.expiresAt ? (wanted.expiresAt.getTime() - now.getTime()) / 1_000 : null,
  }
  const title = `(${act.verb} ${JSON.stringify(worth)} by ${sender.name} from ${wanted.rotatedFrom?.id})`
  const name = `${title}${world.keys.filter((key) => key.name.startsWith(title)).length}`
  const made = keyOf(name, worth, sender.isKnown, {
    lineage_id: wanted.rotatedFrom?.lineage_id ?? name,
    rotated_from: wanted.rotatedFrom?.id ?? null,
    minted_by: wanted.mintedBy ?? null,
  })
  const end = act.verb === 'rotate' ? Math.min(act.overlap, worthOf(found!).end ?? act.overlap) : 0
  const before = act.verb === 'rotate' ? changed(act.target, { rotated_to: name, expires_at: at(end) }) : world.keys
  const faults = isWithin(worth, worthOf(sender.row)) ? [] : [`${sender.name} made ${JSON.stringify(worth)}`]
  return { world: { ...world, keys: [...before, made] }, faults, shown: name }
}

/** The faults of a world: what the adversary has got that exceeds what it began with, or could approve its own requests. */
export function faultsIn({ keys }: World, adversary: Worth): string[] {
  const reach = reachOf(keys, 'adversary')
  return keys.flatMap(({ name, isKnown, row }) => {
    if (!isKnown) return []
    const worth = worthOf(row)
    return [
      ...(isWithin(worth, adversary) ? [] : [`the adversary has ${JSON.stringify(worth)}`]),
      ...(reach.has(row.lineage_id) ? [] : [`the adversary could approve by ${name}`]),
    ]
  })
}

/** The lineages of a key, of those it has minted or rotated, of those that these have, and so on. */
function reachOf(keys: readonly ModelKey[], lineage: string): ReadonlySet<string> {
  const reach = new Set([lineage])
  const lineages = new Map(keys.map(({ row }) => [row.id, row.lineage_id]))
  for (let size = 0; size !== reach.size; ) {
    size = reach.size
    for (const { row } of keys)
      if (row.minted_by !== null && reach.has(lineages.get(row.minted_by)!)) reach.add(row.lineage_id)
  }
  return reach
}
