import { type Answer, call } from '../../test/support/tenants.ts'
import { type Move, type Use, usualBody } from './moves.ts'
import type { Organization, Party } from './organization.ts'
import { type Bill, type ProviderCall, readModel } from './provider.ts'
import { keyLimitNano } from './settings.ts'

/** Permission for a call, as it was answered, and the use that was made of it. */
export interface Permit {
  readonly id: string
  readonly isRun: boolean
  readonly by: 'caller' | 'neighbour'
  readonly model: string | undefined
  /** The department that a reader of good will finds in what was sent. */
  readonly department: string
  heldNano: number
  readonly declared: { readonly input: number | undefined; output: number | undefined; readonly tier: string }
  used: { input: number; output: number; nano: number }
}

/** What a sequence of moves has led to. */
export interface Walk {
  readonly permits: Permit[]
  /** Faults that show at once. */
  readonly faults: string[]
  readonly answers: Record<string, number>
}

export interface World {
  readonly url: string
  readonly provider: { readonly url: string; readonly bills: readonly Bill[] }
  readonly org: Organization
  /** Lets time pass for the leases of the organization. */
  readonly wait: (seconds: number) => Promise<void>
}

/** Tokens of output that a caller uses where it declared none. */
const usualOutput = 1_000
/** Tokens of output that are held where none are declared. */
const defaultOutput = 4_096

export const nanoOf = (usd: unknown): number => Math.round(Number(usd) * 1e9)

/** Carries out moves, one after another. */
export async function walk(world: World, moves: readonly Move[]): Promise<Walk> {
  const result: Walk = { permits: [], faults: [], answers: {} }
  for (const move of moves) {
    const status = await carryOut(world, move, result)
    const name = `${move.move} ${status}`
    result.answers[name] = (result.answers[name] ?? 0) + 1
  }
  return result
}

function carryOut(world: World, move: Move, result: Walk): Promise<number> | number {
  const { org } = world
  const own = result.permits.filter(({ by }) => by === 'caller')
  const others = result.permits.filter(({ by }) => by === 'neighbour')
  const at = (permits: readonly Permit[], index: number) => permits[index % Math.max(permits.length, 1)]
  switch (move.move) {
    case 'ask':
      return ask(world, 'caller', move, result)
    case 'neighbour':
      return neighbour(world, move, result)
    case 'use again':
      return using(at(own, move.permit), (permit) => useAgain(world, permit, move.use))
    case 'report':
      return using(at(own, move.permit), (permit) => report(world, org.caller, permit, move.route, move.body))
    case 'report truly':
      return using(at(own, move.permit), (permit) => report(world, org.caller, permit, 'finish', truth(permit)))
    case 'end another’s':
      return using(at(others, move.permit), (permit) => report(world, org.caller, permit, 'finish', move.body))
    case 'release':
      return using(at(own, move.permit), ({ id }) => post(world, org.caller, `/v1/edge/reservations/${id}/release`, {}))
    case 'extend':
      return using(at(own, move.permit), ({ id, isRun }) =>
        post(world, org.caller, `/v1/${isRun ? 'runs' : 'edge/reservations'}/${id}/extend`, { lease_seconds: 1 }),
      )
    case 'raise':
      return using(at(own, move.permit), (permit) => raise(world, permit, move))
    case 'record':
      return post(world, org.caller, '/v1/runs/bulk', { runs: [move.body] })
    case 'mint':
    case 'rotate':
      return obtainKey(world, move.move)
    case 'wait':
      return world.wait(move.seconds).then(() => 0)
    case 'key is rotated':
    default:
      return rotated(world)
  }
}

const using = (permit: Permit | undefined, act: (permit: Permit) => Promise<number>) => (permit ? act(permit) : 0)

const send = ({ url }: World, { secret }: Party, path: string, body: object, idempotencyKey?: string) =>
  call(url, 'POST', path, {
    key: secret,
    body,
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  })

const post = async (world: World, party: Party, path: string, body: object) =>
  (await send(world, party, path, body)).status

/** Asks for more under a permit. What was granted is what the permit allows from then on. */
async function raise(world: World, permit: Permit, { body, use }: Extract<Move, { move: 'raise' }>): Promise<number> {
  const path = `/v1/${permit.isRun ? 'runs' : 'edge/reservations'}/${permit.id}/extend`
  const { status, json } = await send(world, world.org.caller, path, body)
  if (status >= 300) return status
  const output = Number(body['max_output_tokens'] ?? 0)
  permit.heldNano = Math.max(permit.heldNano, nanoOf(json['reserved_usd']))
  if (permit.declared.output !== undefined && output > permit.declared.output) permit.declared.output = output
  await useAgain(world, permit, use)
  return status
}

async function ask(
  world: World,
  by: Permit['by'],
  { route, body, idempotencyKey, use }: Extract<Move, { move: 'ask' }>,
  result: Walk,
): Promise<number> {
  const path = route === 'edge' ? '/v1/edge/decision' : '/v1/runs'
  const answer = await send(world, world.org[by], path, body, idempotencyKey)
  const permit = permitOf(answer, by, body)
  if (!permit) return answer.status
  const known = result.permits.find(({ id, by: holder }) => id === permit.id && holder === by)
  if (!known) {
    result.permits.push(permit)
    if (by === 'caller') result.faults.push(...(await faultsOfRoom(world, permit)))
  }
  await useAgain(world, known ?? permit, use)
  return answer.status
}

/** The permission in an answer; a dry run gives none. */
function permitOf({ status, json }: Answer, by: Permit['by'], body: Readonly<Record<string, unknown>>) {
  const id = json['reservation_id'] ?? json['id']
  if (status >= 300 || typeof id !== 'string') return undefined
  const number = (name: string) => (typeof body[name] === 'number' ? body[name] : undefined)
  const permit: Permit = {
    id,
    isRun: id.startsWith('run_'),
    by,
    model: readModel(String(body['model'])),
    department: readName(body['department_id']),
    heldNano: nanoOf(json['reserved_usd']),
    declared: {
      input: number('input_tokens'),
      output: number('max_output_tokens'),
      tier: typeof body['service_tier'] === 'string' ? body['service_tier'] : 'standard',
    },
    used: { input: 0, output: 0, nano: 0 },
  }
  return permit
}

const readName = (name: unknown) =>
  typeof name === 'string'
    ? name
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .trim()
        .toLowerCase()
    : ''

/** Full means full: a call that costs anything is not allowed where nothing was left before it. */
async function faultsOfRoom({ org }: World, { id, heldNano, model }: Permit): Promise<string[]> {
  if (model === undefined) return []
  const { limit_usd, spent_usd, held_usd } = await org.own('GET', `/v1/orgs/${org.id}/budgets/${org.budgets.caller}`)
  const before = nanoOf(spent_usd) + nanoOf(held_usd) - heldNano
  return limit_usd !== null && before >= keyLimitNano ? [`${id} was allowed though the limit of its key was full`] : []
}

async function useAgain({ provider, org }: World, permit: Permit, { share, cache }: Use): Promise<number> {
  if (permit.model === undefined || share === 0) return 0
  const { declared } = permit
  const sent: ProviderCall = {
    permit: permit.id,
    model: permit.model,
    tier: declared.tier,
    inputTokens: Math.floor((declared.input ?? 0) * share),
    outputTokens: Math.floor((declared.output ?? usualOutput) * share) + (share > 1 ? 1_000 : 0),
    cache,
  }
  const before = provider.bills.length
  const { status } = await call(provider.url, 'POST', '/', { key: org[permit.by].id, body: sent })
  const nano = provider.bills.slice(before).reduce((sum, bill) => sum + bill.nano, 0)
  const { input, output } = permit.used
  permit.used = { input: input + sent.inputTokens, output: output + sent.outputTokens, nano: permit.used.nano + nano }
  return status
}

/** Whether more was used than was declared: then the part of the bill above the hold could not be known before. */
export const isExceeded = ({ declared, used }: Permit): boolean =>
  used.input > (declared.input ?? 0) || used.output > (declared.output ?? defaultOutput)

const truth = ({ used }: Permit) => ({
  status: 'succeeded',
  input_tokens: used.input,
  output_tokens: used.output,
})

function report(world: World, party: Party, permit: Permit, route: 'finish' | 'bulk', body: object): Promise<number> {
  if (permit.isRun && route === 'finish') return post(world, party, `/v1/runs/${permit.id}/finish`, body)
  const target = permit.isRun ? { run_id: permit.id } : { reservation_id: permit.id }
  return post(world, party, '/v1/runs/bulk', { runs: [{ ...body, ...target }] })
}

/** An honest agent: it declares what it uses, and reports it. */
async function neighbour(
  world: World,
  { idempotencyKey }: Extract<Move, { move: 'neighbour' }>,
  result: Walk,
): Promise<number> {
  const use = { share: 1, cache: 'none' } as const
  const asked = {
    move: 'ask',
    route: 'start',
    body: usualBody,
    ...(idempotencyKey && { idempotencyKey }),
    use,
  } as const
  const before = result.permits.length
  const status = await ask(world, 'neighbour', asked, result)
  // Only what is new: an answer that was given before allows no second call.
  return result.permits.length > before ? status : 0
}

async function obtainKey(world: World, how: 'mint' | 'rotate'): Promise<number> {
  const { org } = world
  const keys = `/v1/orgs/${org.id}/keys`
  const wanted = { name: 'another', role: 'service', scopes: ['edge:decide', 'runs:write'] }
  const answer =
    how === 'mint'
      ? await send(world, org.caller, keys, wanted)
      : await send(world, org.caller, `${keys}/${org.neighbour.id}/rotate`, {})
  if (answer.status < 300) org.caller.secret = String(answer.json['secret'])
  return answer.status
}

async function rotated({ org, url }: World): Promise<number> {
  const { json: me } = await call(url, 'GET', '/v1/me', { key: org.caller.secret })
  const { secret } = await org.own('POST', `/v1/orgs/${org.id}/keys/${String(me['id'])}/rotate`, {})
  org.caller.secret = String(secret)
  return 200
}
