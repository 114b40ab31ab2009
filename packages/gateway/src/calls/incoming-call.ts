import type { Asked, Dialect, RequestHeaders } from '../dialects/dialect.ts'
import type { Caller } from '../weir/weir.ts'
import type { CallName } from './call-name.ts'
import type { Labels } from './labels.ts'
import type { CallBody } from './request-body.ts'

/** A call as it came, before any limit was asked. */
export interface IncomingCall {
  readonly dialect: Dialect
  readonly asked: Asked
  readonly body: CallBody
  readonly headers: RequestHeaders
  readonly caller: Caller
  readonly labels: Labels
  readonly name: CallName
  readonly client: string
}
