import type { FastifyRequest } from 'fastify'
import { type Caller, makerOf, withNormalNames } from '../access/identity/identity.ts'
import { ApiError, type ErrorCode } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import { UnknownValue } from '../money/dimensions/dimensions.ts'
import { limitErrorCodes } from '../money/limit-kinds.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { newUuid } from '../values/id.ts'
import type { DecisionLog } from './decision-log.ts'
import type { RefusalContext } from './decision-record.ts'
import { explainRuleRefusal } from './explanation.ts'
import { UnpricedModel } from './quote.ts'
import type { RefusalSurface } from './refusal-list.ts'
import type { DecisionInput } from './schema.ts'

/** Routes that ask whether a call may run. */
const surfaces: Readonly<Record<string, RefusalSurface>> = { '/v1/edge/decision': 'edge', '/v1/runs': 'run' }

/** Error codes that refuse a call although its request is valid. */
const refusalCodes = new Set<ErrorCode>([
  ...limitErrorCodes,
  'rate_limited',
  'policy_blocked',
  'policy_approval_required',
  'policy_expression_error',
  'content_safety_blocked',
  'no_model_passes_eval',
])

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof UnpricedModel ||
  error instanceof UnknownValue ||
  (error instanceof ApiError && refusalCodes.has(error.code))

/**
 * Records every refusal that was not recorded where it arose: rates, models without a price, routes without a passing model. Of a
 * call that was refused before its body was read only its key is known.
 */
export function recordRefusals(app: App, { clock }: Pick<Platform, 'clock'>, records: DecisionLog) {
  app.addHook('onError', (request, _reply, error, done) => {
    const surface = surfaces[request.route.template ?? '']
    if (surface && request.method === 'POST' && request.principal && isRefusal(error) && !records.isRecorded(error))
      records.record(recordOf(request, error, surface, clock.now()))
    done()
  })
}

function recordOf({ caller, body }: FastifyRequest, error: ApiError, surface: RefusalSurface, at: Date) {
  // The input for the model is never stored.
  const named = withNormalNames((body ?? {}) as Record<string, unknown>)
  const { input: _text, ...said }: Record<string, unknown> = { ...named, ...caller.pins }
  return refusalRecord(caller, said as DecisionInput, { error, surface }, { at, amountNano: 0n })
}

/** The record of a call that no limit refused: a rule, a rate or a detector did, or it has no price. */
export function refusalRecord(
  caller: Caller,
  input: DecisionInput,
  refused: RefusalContext,
  { at, amountNano }: { readonly at: Date; readonly amountNano: bigint },
) {
  const { error } = refused
  const id = newUuid()
  const { rule_id: decidedBy = null } = error.details as { rule_id?: string }
  const ruled = { at, amountNano, decidedBy, errorCode: error.code, madeBy: makerOf(caller) }
  return { orgId: caller.orgId, id, body: explainRuleRefusal(id, input, ruled), refused }
}
