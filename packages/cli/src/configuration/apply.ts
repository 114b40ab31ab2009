import { createHash } from 'node:crypto'
import type { Answer } from '../api/answer.ts'
import type { Client } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { fieldOf, isRecord, type Json, textOf } from '../values.ts'
import { differencesOf } from './comparison.ts'
import { type ListKind, labelOf, naturalKey, normalForm } from './kind.ts'
import { type Action, type CreateAction, type Plan, readRows } from './plan.ts'
import { resolveSecrets } from './references.ts'
import type { SecretsFile } from './secrets-file.ts'

export interface ApplyOptions {
  readonly env: NodeJS.ProcessEnv
  /** The id of the key that calls: idempotency keys are each key's own. */
  readonly caller: string
  readonly secrets?: SecretsFile | undefined
  readonly onProgress: (line: string) => void
  /** Hears of a secret that was made, once. */
  readonly onSecret: (label: string, secret: string) => void
}

export interface Applied {
  readonly done: readonly Action[]
  /** Entries of the same name that two applies at once had made, of which one was left. */
  readonly twins: readonly string[]
  readonly problems: readonly string[]
}

/** The time for which the server answers a repeated creation with its first answer, less an hour. */
const replayMs = 23 * 60 * 60 * 1_000

/** Does what a plan says, one change after another. A change that fails ends it: what was done stays, and the next apply goes on from there. */
export async function applyPlan(
  client: Client,
  org: string,
  { actions }: Plan,
  options: ApplyOptions,
): Promise<Applied> {
  // Secrets are looked up before anything is changed: one that is missing changes nothing.
  const bodies = new Map<Action, Json>(
    actions.map((action) => [action, action.operation === 'remove' ? {} : resolveSecrets(action.body, options.env)]),
  )
  const done: Action[] = []
  for (const action of actions) {
    options.onProgress(`${done.length + 1} of ${actions.length}: ${action.operation} ${action.label}`)
    try {
      await perform(client, org, action, bodies.get(action) ?? {}, options)
    } catch (error) {
      throw faultAt(error, action, done.length, actions.length)
    }
    done.push(action)
  }
  return { done, ...(await removeTwins(client, org, done)) }
}

function faultAt(error: unknown, { label, operation }: Action, done: number, all: number): unknown {
  if (!(error instanceof Fault)) return error
  const place = `stopped at "${operation} ${label}" after ${done} of ${all} changes`
  return new Fault(
    error.reason,
    `${place}: ${error.message}`,
    error.hint ?? 'Run the same command again: it goes on from there.',
  )
}

async function perform(client: Client, org: string, action: Action, body: Json, options: ApplyOptions) {
  if (action.operation === 'create') return create(client, org, action, body, options)
  const { method, path } = action
  const headers: Record<string, string> = action.etag === undefined ? {} : { 'if-match': action.etag }
  if (action.operation === 'update') return client.send(method, org + path, { body, headers })
  // What is gone already is what was wanted.
  return client.send(method, org + path, { headers, accepts: [404, 410], ...(method === 'POST' && { body: {} }) })
}

async function create(client: Client, org: string, action: CreateAction, body: Json, options: ApplyOptions) {
  const { kind, method, path, label } = action
  if (method === 'PUT') {
    const condition = action.etag === undefined ? { 'if-none-match': '*' } : { 'if-match': action.etag }
    return client.send('PUT', org + path, { body, headers: condition })
  }
  const answer = await createOnce(client, org, action, body, options)
  const secret = kind.shape === 'list' && kind.secret !== undefined ? textOf(answer.json, kind.secret) : ''
  if (secret !== '') options.onSecret(label, secret)
  return answer
}

/**
 * Sends a creation under a key that follows from what is made, so that a repetition (after a kill, or of an apply at the same time) is the same
 * creation. Where that key leads to one that was removed since, the next key of the row is taken.
 */
async function createOnce(
  client: Client,
  org: string,
  action: CreateAction,
  body: Json,
  options: ApplyOptions,
): Promise<Answer> {
  const { path, label } = action
  const kind = action.kind as ListKind
  for (let generation = 0; ; generation += 1) {
    const begun = idempotencyKey(org, path, body, generation)
    const secrets = kind.secret === undefined ? undefined : options.secrets
    secrets?.append(noteOf(client, org, action, begun, options.caller))
    const request = { body, headers: { 'idempotency-key': begun } }
    const answer = await client.send('POST', org + path, request).catch((error: unknown) => {
      // What was refused was not made: there is nothing to complete.
      if (isRefusal(error)) secrets?.append({ done: begun, resource: label })
      throw error
    })
    const id = textOf(answer.json, 'id')
    const isGone =
      answer.headers.get('idempotent-replayed') === 'true' && !(await exists(client, org, kind, answer.json))
    const secret = kind.secret === undefined || isGone ? '' : textOf(answer.json, kind.secret)
    secrets?.append({ done: begun, resource: label, ...(secret !== '' && { id, secret }) })
    if (!isGone) return answer
  }
}

const noteOf = (client: Client, org: string, { path, label, body }: CreateAction, begun: string, caller: string) => ({
  begun,
  resource: label,
  at: new Date().toISOString(),
  url: client.url + org + path,
  caller,
  body,
})

const idempotencyKey = (org: string, path: string, body: Json, generation: number) =>
  `weir-apply-${createHash('sha256')
    .update(JSON.stringify([org, path, body, generation]))
    .digest('base64url')}`

async function exists(client: Client, org: string, kind: ListKind, made: unknown): Promise<boolean> {
  if (!isRecord(made)) return false
  const answer = await client.send('GET', org + kind.item(made), { accepts: [404, 410] })
  return answer.status === 200 && isRecord(answer.json) && (kind.counts?.(answer.json) ?? true)
}

const isRefusal = (error: unknown) => error instanceof Fault && error.reason !== 'unreachable'

/** A reader of what an apply has left behind. */
interface Recovery {
  readonly secrets: SecretsFile
  readonly caller: string
  /** True for a body that the file still has. */
  readonly isWanted: (body: Json) => boolean
  readonly onNote: (line: string) => void
}

/** Completes creations whose secret an apply that was killed could not write down: the same request gets the same answer. */
export async function recoverSecrets(client: Client, { secrets, caller, isWanted, onNote }: Recovery) {
  for (const { begun, resource, at, url, caller: maker, body } of secrets.pending()) {
    const isKnown = url.startsWith(`${client.url}/`) && maker === caller && Date.now() - Date.parse(at) < replayMs
    if (!isKnown || !isWanted(body)) {
      onNote(`${resource}: an apply ended before it could write down the secret; rotate it if it exists`)
      continue
    }
    const request = { body, headers: { 'idempotency-key': begun } }
    const answer = await client.send('POST', url.slice(client.url.length), request).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      return undefined
    })
    const secret = textOf(answer?.json, 'secret')
    secrets.append({ done: begun, resource, id: textOf(answer?.json, 'id'), ...(secret !== '' && { secret }) })
    onNote(`${resource}: ${answer ? 'completed' : 'refused'} what an apply had begun`)
  }
}

/** Leaves the oldest of what two applies with different keys have made at once under one name. A person's own entry, which differs, stays. */
async function removeTwins(
  client: Client,
  org: string,
  done: readonly Action[],
): Promise<{ twins: string[]; problems: string[] }> {
  const twins: string[] = []
  const problems: string[] = []
  const made = done.filter((action) => action.operation === 'create' && isTwinnable(action)) as CreateAction[]
  for (const [kind, actions] of Map.groupBy(made, (action) => action.kind as ListKind)) {
    const rows = await readRows(client, org, kind)
    for (const { entry } of actions) {
      const [first, ...more] = (rows.get(naturalKey(kind, entry)) ?? []).toSorted(byAge)
      for (const row of first ? more : []) {
        const isEqual = differencesOf(entry, normalForm(kind, row), kind.writeOnly).length === 0
        if (!isEqual || kind.secret !== undefined)
          problems.push(`${labelOf(kind, entry)}: somebody else has made one too`)
        else {
          await client.send('DELETE', org + kind.item(row), { accepts: [404] })
          twins.push(labelOf(kind, entry))
        }
      }
    }
  }
  return { twins, problems }
}

const isTwinnable = ({ kind }: Action) => kind.shape === 'list' && !kind.unique

const byAge = (one: Json, other: Json) => {
  const ageOf = (row: Json) => `${textOf(row, 'created_at')} ${textOf(row, 'id')}`
  return ageOf(one) < ageOf(other) ? -1 : 1
}

/** Says whether a plan makes something whose secret is shown once. */
export const makesSecrets = ({ actions }: Plan): boolean =>
  actions.some(
    ({ operation, kind, ...action }) =>
      operation === 'create' &&
      kind.shape === 'list' &&
      (kind.section === 'keys' ||
        (kind.section === 'webhooks' && fieldOf(fieldOf(action, 'body'), 'signing') === 'subscription')),
  )
