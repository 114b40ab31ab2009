import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, hasScopeAndRole } from '../../access/identity/identity.ts'
import { type Role, reasonHeader } from '../../contract/routes.ts'
import type { LiveSession } from '../../people/sign-in/sign-in.ts'
import { newUuid } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import { ApiFault, type PageApi, type Schemas } from '../api/api.ts'
import type { FormKeys, FormState, Times } from '../components/components.ts'
import type { NavCounts } from './navigation.ts'

/** One request, as far as it needs no page around it: the API with the authority of the session, and the time. */
export interface BriefVisit {
  readonly api: PageApi
  readonly caller: Caller
  readonly now: Date
  /** True when the API would let the caller do something that needs a scope and a role. For what is shown only: the API decides. */
  readonly may: (scope: string, role?: Role) => boolean
}

/** One request to a page, and all that its function needs. */
export interface Visit extends BriefVisit {
  readonly session: LiveSession
  readonly org: VisitedOrg
  /** Approvals that wait for somebody, as of the last few seconds; undefined for a reader who may not see them. */
  readonly waiting: Schemas['ApprovalList'] | undefined
  readonly counts: NavCounts
  readonly times: Times
  /** Parameters of the path, such as an id. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Path and query of the request. */
  readonly address: string
  readonly formKeys: FormKeys
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** The organization whose pages are shown. */
export interface VisitedOrg {
  readonly id: string
  readonly name: string
  readonly timezone: string
}

/** Fields of a form as they were sent. */
export type FormValues = Readonly<Record<string, string>>

export const mayOf =
  (caller: Caller): Visit['may'] =>
  (scope, role = caller.role === 'operator' ? 'operator' : 'viewer') =>
    hasScopeAndRole(caller, scope, role)

/** Returns the fields of a form; a field that was sent several times has its values joined by commas. */
export const valuesOf = (body: unknown): FormValues =>
  Object.fromEntries(
    Object.entries(recordIn(body)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : String(value),
    ]),
  )

/** Returns the keys of the forms of a page: each form that reads them has an idempotency key of its own. */
export const newFormKeys = (csrfToken: string): FormKeys => ({
  csrfToken,
  get idempotencyKey() {
    return newUuid()
  },
})

/** Statuses of refusals that the form itself can show: what was sent can be mended and sent again. */
const mendable = new Set([400, 402, 409, 412, 422])

/**
 * Returns a form that was refused, with each message at its field. `names` translates fields of the API to those of the form; a message
 * about anything else is about the whole form. Other refusals are thrown.
 */
export function refusedForm(
  error: unknown,
  values: FormValues,
  names: Readonly<Record<string, string>> = {},
): FormState {
  if (!(error instanceof ApiFault) || !mendable.has(error.status)) throw error
  const faults: Record<string, string> = {}
  const others: string[] = []
  for (const { field, message } of error.fields) {
    const name = names[field] ?? (field === reasonHeader ? 'reason' : field.replace(/[.[].*$/s, ''))
    if (name in values || name in names) faults[name] ??= fieldText(message, values[name] ?? '')
    else others.push(`${field}: ${message}`)
  }
  // A form that is sent again after a refusal is another request.
  const again = { ...values, idempotency_key: newUuid() }
  const fault = error.fields.length === 0 ? error.message : others.length > 0 ? others.join(' ') : undefined
  return { values: again, faults, fault }
}

/** Returns the message at a field; of amounts, in words for whoever types them into a form. */
function fieldText(message: string, typed: string): string {
  if (!message.startsWith('Must be a decimal number')) return message
  const plain = typed.trim().replaceAll(/[$,\s]/g, '')
  return typed.includes(',') && /^\d+(\.\d{1,9})?$/.test(plain)
    ? `Write the amount without commas: ${plain}`
    : 'Write a number with at most nine decimals, such as 12.50.'
}

/** A part of a page, or the fault that took its place; the rest of the page stays. */
export type Part<T> =
  | { readonly value: T; readonly fault?: never }
  | { readonly value?: never; readonly fault: ApiFault }

/** Awaits a part of a page. A session that has ended concerns the whole page. */
export async function part<T>(promise: Promise<T>): Promise<Part<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    if (error instanceof ApiFault && error.status !== 401) return { fault: error }
    throw error
  }
}
