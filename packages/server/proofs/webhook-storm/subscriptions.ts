import { setTimeout as sleep } from 'node:timers/promises'
import { formatId, requireId } from '../../src/values/id.ts'
import type { Random } from '../../test/support/random.ts'
import { call } from '../../test/support/tenants.ts'
import type { WebhookInstallation } from './installation.ts'

/** Who is told in a storm of webhooks, and how each of them behaves. */

/** `flaky` ones fail now and then, and must be told everything all the same. */
export type Nature = 'healthy' | 'flaky' | 'slow' | 'failing' | 'refusing' | 'gone'

export interface StormOrg {
  readonly id: string
  readonly uuid: string
  readonly key: string
}

export interface StormSubscription {
  readonly org: StormOrg
  readonly uuid: string
  readonly nature: Nature
  readonly path: string
  readonly filter: readonly string[]
  readonly isOrdered: boolean
  /** Its secrets in the order in which it got them. */
  readonly secrets: string[]
  /** 1: signed with the organization's. */
  readonly version: '1' | '2'
  rotation?: Rotation
}

export interface Rotation {
  readonly askedMs: number
  readonly answeredMs: number
  readonly overlapSeconds: number
}

/** Those that must be told everything. */
export const isReachable = ({ nature }: StormSubscription) => /^(healthy|flaky|slow)$/.test(nature)

export const stormKinds = [
  'key.created',
  'key.rotated',
  'key.revoked',
  'org.suspended',
  'org.resumed',
  'budget.threshold_crossed',
  'budget.exceeded',
  'spend_cap.threshold_crossed',
  'spend_cap.exceeded',
  'customer_limit.exceeded',
  'plan.exceeded',
  'credit_pack.low',
  'quota.low',
] as const
export type StormKind = (typeof stormKinds)[number]

/** As the documentation says it, written down once more. */
export const wants = ({ filter }: StormSubscription, kind: string) =>
  filter.some((each) => each === kind || each === `${kind.split('.')[0]}.*`)

function naturesOf(count: number, random: Random): Nature[] {
  const many = (share: number, nature: Nature) =>
    Array.from({ length: Math.max(1, Math.round(count * share)) }, () => nature)
  const troubled = [...many(0.1, 'slow'), ...many(0.05, 'failing'), ...many(0.02, 'refusing'), ...many(0.01, 'gone')]
  const well = Array.from({ length: count - troubled.length }, (_, i) => (i % 8 === 0 ? 'flaky' : 'healthy') as Nature)
  const all = [...well, ...troubled].map((nature) => ({ nature, at: random.next() }))
  return all.toSorted((a, b) => a.at - b.at).map(({ nature }) => nature)
}

export async function subscribe(
  installation: WebhookInstallation,
  options: { orgs: number; subscriptions: number; withTroubled: boolean; orderedShare?: number },
  random: Random,
): Promise<{ orgs: StormOrg[]; subscriptions: StormSubscription[] }> {
  const orgs: StormOrg[] = []
  for (let i = 0; i < options.orgs; i++) orgs.push(await createOrg(installation))
  // So many that each event has one or two subscriptions that ask for it.
  const kindsEach = Math.max(1, Math.round((1.5 * stormKinds.length * orgs.length) / options.subscriptions))
  const subscriptions: StormSubscription[] = []
  for (const [i, nature] of naturesOf(options.subscriptions, random).entries()) {
    const isWell = nature === 'healthy' || nature === 'flaky'
    const org = orgs[i % orgs.length]!
    const kinds = Array.from(
      { length: kindsEach },
      (_, k) => stormKinds[(Math.floor(i / orgs.length) * kindsEach + k) % stormKinds.length]!,
    )
    // The well ones are the same in both cases.
    if (isWell || options.withTroubled)
      subscriptions.push(await createSubscription(installation, org, { ...options, number: i, kinds, nature }, random))
  }
  await installation.teach(Object.fromEntries(subscriptions.map(({ path, secrets }) => [path, secrets])))
  return { orgs, subscriptions }
}

async function createOrg(installation: WebhookInstallation): Promise<StormOrg> {
  const body = { name: 'Storm' }
  const json = await ask(installation, 'POST', '/v1/admin/orgs', { key: installation.operator, body })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { secret: string } }
  return { id, uuid: requireId('org', id), key: owner_key.secret }
}

async function createSubscription(
  installation: WebhookInstallation,
  org: StormOrg,
  {
    number,
    kinds,
    nature,
    orderedShare = nature === 'flaky' ? 0.6 : 0.15,
  }: { number: number; kinds: readonly StormKind[]; nature: Nature; orderedShare?: number },
  random: Random,
): Promise<StormSubscription> {
  const { key } = org
  const path = `/${nature}/${org.id}/${number}`
  const filter = random.chance(0.05) ? [`${kinds[0]!.split('.')[0]}.*`] : kinds
  const isOrdered = random.chance(orderedShare)
  const url = `${nature === 'refusing' ? installation.closedUrl : installation.receiverUrl}${path}`
  const body = { url, events: filter, ordered: isOrdered }
  const { id } = await ask(installation, 'POST', `/v1/orgs/${org.id}/webhooks`, { key, body })
  const version = random.chance(0.5) ? '2' : '1'
  const { secret } = await (version === '2'
    ? ask(installation, 'POST', `/v1/orgs/${org.id}/webhooks/${id as string}/signing/rotate`, { key, body: {} })
    : ask(installation, 'GET', `/v1/admin/orgs/${org.id}/webhook-secret`, { key }))
  const uuid = requireId('subscription', id as string)
  return { org, uuid, nature, path, filter, isOrdered, version, secrets: [secret as string] }
}

/** Rotates as a customer would: until there is an answer, with one key for all tries; then the endpoint knows both secrets. */
export async function rotate(
  installation: WebhookInstallation,
  subscription: StormSubscription,
  overlapSeconds: number,
) {
  const { org, path, secrets, uuid } = subscription
  const subscriptionId = formatId('subscription', uuid)
  const askedMs = Date.now()
  const headers = { 'idempotency-key': `rotate-${subscriptionId}-${secrets.length}` }
  for (;;) {
    const answer = await call(
      apiOf(installation),
      'POST',
      `/v1/orgs/${org.id}/webhooks/${subscriptionId}/signing/rotate`,
      {
        key: org.key,
        body: { overlap_seconds: overlapSeconds },
        headers,
      },
    ).catch(() => undefined)
    if (answer?.status === 200) {
      subscription.rotation = { askedMs, answeredMs: Date.now(), overlapSeconds }
      secrets.push(answer.json['secret'] as string)
      return installation.teach({ [path]: secrets })
    }
    // 409: PostgreSQL went while the first try was under way, and that one counts as under way for a while.
    if (answer && answer.status < 500 && answer.status !== 409)
      throw new Error(`rotate: ${answer.status} ${answer.text}`)
    await sleep(200)
  }
}

const apiOf = ({ api }: WebhookInstallation) => `http://127.0.0.1:${api.port}`

async function ask(
  installation: WebhookInstallation,
  method: string,
  path: string,
  options: { key: string; body?: object },
): Promise<Record<string, unknown>> {
  const { status, text, json } = await call(apiOf(installation), method, path, options)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return json
}
