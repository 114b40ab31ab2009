import { hash } from 'node:crypto'
import { normalEmail } from '../../people/members/members.ts'
import { dimensionFields, Model, maxRunTokens } from '../../records/run-log/run-log.ts'
import { normalForm } from '../../values/normal-form.ts'
import { withoutUndefined } from '../../values/records.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { BulkRun, TelemetryFacts } from '../runs.ts'
import { assistantNames } from './assistant-names.ts'
import { attribute, firstText, type SpanAttributes } from './attributes.ts'
import type { Mapping } from './mapping.ts'
import { checkBounds, dimensionOf, misfitOf, serviceOf, tagsOf, Unrecordable } from './run-fields.ts'

/** Fields that events and metrics of an assistant have in common: whose usage it is, and of which session. */

/** Facts that conversion depends on beside the request. */
export interface Reporter {
  readonly lineageId: string
  readonly pins: Readonly<Record<string, string>>
  readonly mapping: Mapping
  readonly nowMs: number
}

export const said = (name: keyof typeof assistantNames, ...places: readonly SpanAttributes[]) =>
  firstText(assistantNames[name], places)

/** Returns an id that only the reports of one key can have: what another key reports is never the same record. */
export const reportId = (lineageId: string, parts: readonly (string | number | undefined)[]): string =>
  hash('sha256', JSON.stringify([lineageId, ...parts.map((part) => part ?? null)]), 'hex')

/** Returns the session that a report names; undefined without one. */
export function sessionOf(...places: readonly SpanAttributes[]): string | undefined {
  const session = said('session', ...places)
  return session === undefined ? undefined : checkBounds('session.id', session, dimensionFields.user_id)
}

/** Returns the model without what an assistant adds to its name, such as the `[1m]` of a long context. */
export function modelOf(...places: readonly SpanAttributes[]): string {
  const model = said('model', ...places)?.replace(/\[[^[\]]*\]$/, '')
  if (model === undefined || model === '') throw new Unrecordable('model is missing')
  return checkBounds('model', model, Model)
}

export interface Counts {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheCreation: number
  readonly reasoning?: number | undefined
}

/** Returns the counts of tokens as runs have them; a run without any is none. */
export function usageFields({ input, output, cacheRead, cacheCreation, reasoning }: Counts) {
  for (const count of [input, output])
    if (count > maxRunTokens) throw new Unrecordable(`tokens are more than ${maxRunTokens}`)
  if (input + output === 0) throw new Unrecordable('it has no tokens')
  return {
    input_tokens: input,
    output_tokens: output,
    ...(cacheRead > 0 && { cache_read_input_tokens: cacheRead }),
    ...(cacheCreation > 0 && { cache_creation_input_tokens: cacheCreation }),
    ...(reasoning !== undefined && reasoning > 0 && { reasoning_output_tokens: Math.min(reasoning, output) }),
  }
}

/** Fields of a run by what the report says of its circumstances. What the key is pinned to is left out: pins say it. */
export function labelsOf(
  { pins, mapping }: Reporter,
  places: readonly SpanAttributes[],
  resource: SpanAttributes,
  billing: TelemetryFacts['billing'],
): Pick<BulkRun, 'workflow_id' | 'deployment_id' | 'department_id' | 'customer_id' | 'user_id' | 'tags'> {
  const own = (name: 'workflow_id' | 'deployment_id' | 'department_id' | 'customer_id' | 'user_id') =>
    name in pins ? undefined : dimensionOf(name, { ...mapping, user_id: mapping.user_id ?? [] }, places)
  const tags = (tagsOf(attribute('tags', ...places)) ?? []).filter((tag) => !normalForm(tag).startsWith(billingTag))
  if (tags.length > 19) throw new Unrecordable('weir.tags has more than 19 tags')
  return withoutUndefined({
    workflow_id: own('workflow_id'),
    deployment_id: 'deployment_id' in pins ? undefined : (own('deployment_id') ?? serviceOf(resource, mapping)),
    department_id: own('department_id'),
    customer_id: own('customer_id'),
    user_id: own('user_id') ?? ('user_id' in pins || mapping.user_id ? undefined : userOf(places)),
    tags: [...tags, `${billingTag}${billing}`],
  })
}

/** The beginning of the tag by which usage of seats and metered usage are told apart; no report can set it itself. */
const billingTag = 'billing:'

/** Returns the person by their address, in the one spelling that members have too. */
function userOf(places: readonly SpanAttributes[]): string | undefined {
  const email = said('email', ...places)
  const normal = email === undefined ? undefined : normalEmail(email)
  return normal === undefined || misfitOf(normal, dimensionFields.user_id) !== undefined ? undefined : normal
}

/** Tells whether usage is that of a seat. The organization says so, or says whose word it takes for it. */
export function billingOf({ lineageId, mapping }: Reporter, places: readonly SpanAttributes[]): 'seat' | 'metered' {
  if (mapping.seat_keys?.includes(lineageId)) return 'seat'
  const accounts = assistantNames.accounts.flatMap((name) => firstText([name], places) ?? [])
  if (accounts.some((account) => mapping.seat_accounts?.includes(account))) return 'seat'
  return mapping.seat_logins === true && said('login', ...places)?.toLowerCase() === 'chatgpt' ? 'seat' : 'metered'
}

export const telemetryFacts = (billing: TelemetryFacts['billing'], reportedUsd?: string): TelemetryFacts => ({
  billing,
  ...(reportedUsd !== undefined && { reported_cost_usd: reportedUsd }),
})

export const timesOf = (startMs: number, endMs: number) => ({
  started_at: timestamp(new Date(startMs)),
  ended_at: timestamp(new Date(endMs)),
})

/** Providers of the models that the assistants call, by the name under which their events begin. */
export const assistants = { claude_code: 'anthropic', codex: 'openai' } as const
export type Assistant = keyof typeof assistants
