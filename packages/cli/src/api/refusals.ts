import { type ExitReason, Fault } from '../faults.ts'
import { fieldOf, recordsOf, textOf } from '../values.ts'
import type { Answer } from './answer.ts'

const reasons: Readonly<Record<string, ExitReason>> = {
  unauthorized: 'unauthorized',
  key_expired: 'unauthorized',
  forbidden: 'unauthorized',
  missing_scope: 'unauthorized',
  ip_not_allowed: 'unauthorized',
  org_suspended: 'unauthorized',
  gone: 'unauthorized',
  precondition_failed: 'overtaken',
  service_unavailable: 'unreachable',
  internal: 'unreachable',
}

const hints: Readonly<Record<string, string>> = {
  unauthorized: 'The server does not know this key. Sign in again with `weir login`.',
  key_expired: 'The key has ended. Make a new one, and sign in again with `weir login`.',
  gone: 'The key was revoked. Make a new one, and sign in again with `weir login`.',
  ip_not_allowed: 'The address list of the organization does not have the address that you call from.',
  precondition_failed: 'Somebody else changed it in between. Look at it and run the command again.',
}

/** Returns an answer that is no success as a fault with its message, its code and what can be done. */
export function faultOf(answer: Answer, request: string): Fault {
  const error = fieldOf(answer.json, 'error')
  const code = textOf(error, 'code')
  if (code === '') return new Fault('unreachable', `${request} was answered with ${answer.status}, not by Weir`)
  const details = fieldOf(error, 'details')
  const fields = recordsOf(fieldOf(details, 'fields')).map(
    (field) => `\n  ${textOf(field, 'field')}: ${textOf(field, 'message')}`,
  )
  const required = textOf(details, 'required')
  const trace = code === 'internal' ? ` (trace ${answer.headers.get('x-svc-trace-id') ?? 'unknown'})` : ''
  const scope = required === '' ? '' : ` It needs the scope ${required}.`
  return new Fault(
    reasons[code] ?? 'finding',
    `${textOf(error, 'message')}${scope} [${code}]${trace}${fields.join('')}`,
    hints[code],
  )
}
