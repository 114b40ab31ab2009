import { randomUUID } from 'node:crypto'
import { type Answer, type Call, type Client, createClient } from './client.ts'
import { expectStatus, objectIn, textIn, Unseen } from './expectations.ts'
import { openReceiver, type Receiver } from './receiver.ts'

export interface Options {
  readonly url: string
  readonly operatorKey: string
  /** Where `/metrics` is served, if not below the base address. */
  readonly metricsUrl?: string | undefined
  /** Where the server can reach this machine, to deliver webhooks to the program. */
  readonly receiverUrl?: string | undefined
}

/** An organization of the program's own. */
export interface Org {
  readonly id: string
  readonly key: string
  readonly keyId: string
  /** Calls a route below the organization as its owner, or as somebody else. */
  readonly ask: (method: string, path: string, body?: unknown, call?: Call) => Promise<Answer>
  /** Calls a route that names no organization, as its owner, or as somebody else. */
  readonly call: (method: string, path: string, body?: unknown, call?: Call) => Promise<Answer>
  /** Calls a route of operators about it. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Mints a key; its secret and its id. */
  readonly mint: (fields: Record<string, unknown>) => Promise<{ id: string; key: string }>
}

/** A call that costs exactly so much: its model has a price, and the estimate is all that is said about its size. */
export const costing = (usd: string, more: Record<string, unknown> = {}) => ({
  model: 'gpt-4o',
  estimated_cost_usd: usd,
  ...more,
})

export type World = ReturnType<typeof openWorld>

/** Where checks act: a server, an operator, and organizations that are made when they are needed and suspended at the end. */
export function openWorld({ url, operatorKey, metricsUrl, receiverUrl }: Options) {
  const client: Client = createClient(url)
  const metrics: Client = metricsUrl === undefined ? client : createClient(metricsUrl)
  const run = randomUUID().slice(0, 8)
  const made: Org[] = []
  const endings: (() => Promise<unknown>)[] = []
  const memory = new Map<string, unknown>()

  const operator = (method: string, path: string, body?: unknown, more: Call = {}) =>
    client.call(method, path, { key: operatorKey, body, ...more })

  /** What several checks share is made once. */
  const once = <T>(name: string, make: () => Promise<T>): Promise<T> => {
    if (!memory.has(name)) memory.set(name, make())
    return memory.get(name) as Promise<T>
  }

  const makeOrg = async (): Promise<Org> => {
    const view = objectIn(expectStatus(await operator('POST', '/v1/admin/orgs', { name: `Conformance ${run}` }), 201))
    const id = textIn(view, 'id')
    const owner = view['owner_key'] as { id: string; secret: string }
    const org: Org = {
      id,
      key: owner.secret,
      keyId: owner.id,
      ask: (method, path, body, more = {}) =>
        client.call(method, `/v1/orgs/${id}${path}`, { key: owner.secret, body, ...more }),
      call: (method, path, body, more = {}) => client.call(method, path, { key: owner.secret, body, ...more }),
      admin: (method, path, body) => operator(method, `/v1/admin/orgs/${id}${path}`, body),
      mint: async (fields) => {
        const answer = expectStatus(await org.ask('POST', '/keys', { name: 'conformance', ...fields }), 201)
        const key = objectIn(answer)
        return { id: textIn(key, 'id'), key: textIn(key, 'secret') }
      },
    }
    made.push(org)
    return org
  }

  const world = {
    client,
    operator,
    once,
    /** An organization of its own for a check that changes it. */
    makeOrg,
    /** One that all checks read and none changes. */
    shared: () => once('shared organization', makeOrg),
    /** Another tenant. */
    stranger: () => once('another tenant', makeOrg),
    /** What is to be undone at the end. */
    atEnd: (ending: () => Promise<unknown>) => endings.push(ending),

    /** A support grant on an organization; its id and its token. */
    grant: async (org: Org, scope: string) => {
      const fields = { org_id: org.id, scope, reason: 'Conformance check', duration_seconds: 300 }
      const view = objectIn(expectStatus(await operator('POST', '/v1/admin/support-grants', fields), 201))
      const id = textIn(view, 'id')
      endings.push(() => operator('POST', `/v1/admin/support-grants/${id}/revoke`))
      return { id, token: textIn(view, 'token'), view }
    },

    /** The counter of a deprecated route, or undefined where it has none. */
    counted: async (route: string) => {
      const line = (await world.exposition())
        .split('\n')
        .find((text) => text.startsWith(`svc_deprecated_route_calls_total{route="${route}"}`))
      return line === undefined ? undefined : Number(line.split(' ').at(-1))
    },
    exposition: async () => {
      const answer = await metrics.call('GET', '/metrics')
      if (answer.status === 404 && metricsUrl === undefined)
        throw new Unseen('/metrics has a port of its own here; name it with --metrics-url')
      return expectStatus(answer, 200).text
    },

    /** An endpoint of the program's own that the server can post to. */
    receiver: () =>
      once('receiver', async (): Promise<Receiver> => {
        if (receiverUrl === undefined && !client.isLocal)
          throw new Unseen('the server cannot reach this machine; name an address of it with --receiver-url')
        const receiver = await openReceiver(receiverUrl)
        endings.push(() => receiver.close())
        return receiver
      }),

    /** Leaves what can be left behind inert: organizations cannot be deleted, so they are suspended. */
    close: async () => {
      for (const ending of endings.toReversed()) await ending().catch(() => undefined)
      await Promise.all(
        made.map((org) =>
          org.admin('POST', '/suspend', { reason: 'Conformance check has ended' }).catch(() => undefined),
        ),
      )
      client.close()
      if (metrics !== client) metrics.close()
    },
  }
  return world
}
