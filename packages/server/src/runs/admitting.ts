import type { FastifyRequest } from 'fastify'
import { type DecisionRecords, quote, UnpricedModel } from '../decisions/decisions.ts'
import { type Caller, makerText } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Definitions, Lanes } from '../lanes/lanes.ts'
import { blockedBy, inspect } from '../safety/safety.ts'
import { parseUsd } from '../values/money.ts'
import type { Admitted, Governance, Refused } from './governance.ts'
import { obeying, recording } from './obeying.ts'
import { routedStarts } from './routed-start.ts'
import type { ResolvedStart, StartInput } from './schema.ts'

export interface Asking {
  /**
   * True when the start is checked again with fresh configuration, because the cached one was stale. Detectors have inspected it
   * already.
   */
  readonly isAgain: boolean
}

/** Creates the checks of a start that are not limits, in the documented order. */
export function admissions({ clock }: Platform, lanes: Lanes, records: DecisionRecords, governance: Governance) {
  const { rules, safety, findings } = governance
  const recorded = recording(clock, records)
  const obeyed = obeying(governance, recorded)
  const routed = routedStarts(lanes, governance, obeyed)

  /** Runs the detectors on the input; their findings are published, and refuse the start where a detector blocks. */
  async function inspected(
    { input: text, route: _route, sticky: _sticky, ...said }: StartInput,
    caller: Caller,
  ): Promise<Refused | undefined> {
    if (text === undefined) return undefined
    const { orgId } = caller
    const found = await inspect(await safety.of(orgId), text)
    if (found.length === 0) return undefined
    const { model, workflow_id, customer_id } = said
    const submission = {
      orgId,
      keyId: makerText(caller),
      model: model ?? null,
      workflowId: workflow_id ?? null,
      customerId: customer_id ?? null,
    }
    if (said.dry_run !== true) findings.tell(submission, found)
    const refusal = blockedBy(found)
    if (!refusal) return undefined
    const happened = async () => {
      if (model !== undefined) recorded(refusal, { ...said, model }, caller, 0n)
    }
    return { refusal, happened }
  }

  return async (request: FastifyRequest, said: StartInput, { isAgain }: Asking): Promise<Admitted | Refused> => {
    const caller = request.principal!
    const nowMs = clock.now().getTime()
    const { input: _text, route, sticky, model, ...rest } = said
    const rulings = await rules(caller, said, { atMs: nowMs, isAnew: isAgain })
    const look = async () => (isAgain ? undefined : inspected(said, caller))
    if (route !== undefined) {
      const blocked = await look()
      return blocked ?? routed(request, { ...rest, route, ...(sticky !== undefined && { sticky }) }, rulings, nowMs)
    }
    const input = { ...rest, model: model! }
    const estimatedNano =
      rulings.set.rules.length === 0 ? 0n : estimateOf(input, await lanes.definitionsOf(caller.orgId), nowMs)
    const admitted = await obeyed(rulings.on(input, estimatedNano), rulings, input, request)
    return 'refusal' in admitted ? admitted : ((await look()) ?? admitted)
  }
}

/** Estimates the amount that a start would hold; for a model without a price, the caller's own estimate. */
function estimateOf(input: ResolvedStart, definitions: Definitions, nowMs: number): bigint {
  try {
    return quote(input, definitions, nowMs).charge.usd
  } catch (error) {
    if (error instanceof UnpricedModel) return parseUsd(input.estimated_cost_usd ?? '0')
    throw error
  }
}
