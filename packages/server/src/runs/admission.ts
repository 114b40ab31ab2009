import type { FastifyRequest } from 'fastify'
import { type Caller, lineageIn, makerText } from '../access/identity/identity.ts'
import { type DecisionLog, quote, UnpricedModel } from '../decisions/decisions.ts'
import type { Lanes, OrgConfig } from '../decisions/lanes/lanes.ts'
import { blockingError } from '../governance/safety/safety.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { parseUsd } from '../values/money.ts'
import { present } from '../values/present.ts'
import type { Admitted, Governance, RefusedStart } from './governance.ts'
import { createRoutedStart } from './routed-start.ts'
import { createRefusalRecorder, createRulingHandler } from './ruling-handler.ts'
import type { ResolvedStart, StartInput } from './schema.ts'

export interface AdmissionOptions {
  /**
   * True when the start is checked again with fresh configuration, because the cached one was stale. Detectors have inspected it
   * already.
   */
  readonly isRetry: boolean
}

/** Creates the checks of a start that are not limits, in the documented order. */
export function createAdmission({ clock }: Platform, lanes: Lanes, records: DecisionLog, governance: Governance) {
  const { rules, safety, inspector, findings } = governance
  const recordRefusal = createRefusalRecorder(clock, records)
  const applyRuling = createRulingHandler(governance, recordRefusal)
  const startRouted = createRoutedStart(lanes, governance, applyRuling)

  /** Runs the detectors on the input; their findings are published, and refuse the start where a detector blocks. */
  async function runDetectors(
    { input: text, route: _route, sticky: _sticky, ...said }: StartInput,
    caller: Caller,
  ): Promise<RefusedStart | undefined> {
    if (text === undefined) return undefined
    const { orgId } = caller
    const found = await inspector.inspect(orgId, await safety.get(orgId), text)
    if (found.length === 0) return undefined
    const { model, workflow_id, customer_id } = said
    const submission = {
      orgId,
      keyId: makerText(caller),
      model: model ?? null,
      workflowId: workflow_id ?? null,
      customerId: customer_id ?? null,
    }
    if (said.dry_run !== true) findings.publish(submission, found)
    const refusal = blockingError(found)
    if (!refusal) return undefined
    const onConfirmed = async () => {
      if (model !== undefined) recordRefusal(refusal, { ...said, model }, caller, 0n)
    }
    return { refusal, onConfirmed }
  }

  return async (
    request: FastifyRequest,
    said: StartInput,
    { isRetry }: AdmissionOptions,
  ): Promise<Admitted | RefusedStart> => {
    const caller = request.caller
    const nowMs = clock.now().getTime()
    const { input: _text, route, sticky, model, ...rest } = said
    const rulings = await rules(caller, said, { atMs: nowMs, reload: isRetry })
    const look = async () => (isRetry ? undefined : runDetectors(said, caller))
    if (route !== undefined) {
      const blocked = await look()
      return (
        blocked ?? startRouted(request, { ...rest, route, ...(sticky !== undefined && { sticky }) }, rulings, nowMs)
      )
    }
    const input = { ...rest, model: present(model) }
    const estimatedNano =
      rulings.set.rules.length === 0
        ? 0n
        : estimateOf(input, await lanes.orgConfigOf(caller.orgId), nowMs, lineageIn(caller))
    const admitted = await applyRuling(rulings.evaluate(input, estimatedNano), rulings, input, request)
    return 'refusal' in admitted ? admitted : ((await look()) ?? admitted)
  }
}

/** Returns the most that a run can cost; for a model without a price, the caller's own estimate. */
export function estimateOf(
  input: ResolvedStart,
  orgConfig: OrgConfig,
  nowMs: number,
  keyId: string | undefined,
): bigint {
  try {
    return quote(input, orgConfig, nowMs, keyId).price.expectedNano
  } catch (error) {
    if (error instanceof UnpricedModel) return parseUsd(input.estimated_cost_usd ?? '0')
    throw error
  }
}
