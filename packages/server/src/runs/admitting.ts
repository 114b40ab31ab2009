import type { FastifyRequest } from 'fastify'
import { type DecisionRecords, quote, UnpricedModel } from '../decisions/decisions.ts'
import type { Caller } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Definitions, Lanes } from '../lanes/lanes.ts'
import { blockedBy, inspect } from '../safety/safety.ts'
import { formatId } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { type Admitted, type Governance, unruled } from './governance.ts'
import { obeying, recording } from './obeying.ts'
import { routedStarts } from './routed-start.ts'
import type { ResolvedStart, StartInput } from './schema.ts'

/** Asks everything about a start that is not a limit, in the order that is promised. What refuses it is thrown. */
export function admissions({ clock }: Platform, lanes: Lanes, records: DecisionRecords, governance: Governance) {
  const { rules, safety, findings } = governance
  const recorded = recording(clock, records)
  const obeyed = obeying(governance, recorded)
  const routed = routedStarts(lanes, governance, obeyed)

  /** Detectors look at what is to be sent; what they find is told, and refuses where they are to block. */
  async function inspected(
    { input: text, route: _route, sticky: _sticky, ...said }: StartInput,
    { id, orgId }: Caller,
  ) {
    if (text === undefined) return
    const found = await inspect(await safety.of(orgId), text)
    if (found.length === 0) return
    const { model, workflow_id, customer_id } = said
    findings.tell(
      {
        orgId,
        keyId: formatId('key', id),
        model: model ?? null,
        workflowId: workflow_id ?? null,
        customerId: customer_id ?? null,
      },
      found,
    )
    const error = blockedBy(found)
    if (error) throw model === undefined ? error : recorded(error, { ...said, model }, orgId, 0n)
  }

  return async (request: FastifyRequest, said: StartInput): Promise<Admitted> => {
    const caller = request.principal!
    const nowMs = clock.now().getTime()
    const { input: _text, route, sticky, model, ...rest } = said
    const rulings = await rules(caller, said, nowMs)
    if (route !== undefined) {
      await inspected(said, caller)
      return routed(request, { ...rest, route, ...(sticky !== undefined && { sticky }) }, rulings, nowMs)
    }
    const input = { ...rest, model: model! }
    const admitted = rulings
      ? await obeyed(
          rulings.on(input, estimateOf(input, await lanes.definitionsOf(caller.orgId), nowMs)),
          rulings,
          input,
          request,
        )
      : unruled(input)
    await inspected(said, caller)
    return admitted
  }
}

/** What a start would hold; of a model that nobody has priced what the caller expects. */
function estimateOf(input: ResolvedStart, definitions: Definitions, nowMs: number): bigint {
  try {
    return quote(input, definitions, nowMs).charge.usd
  } catch (error) {
    if (error instanceof UnpricedModel) return parseUsd(input.estimated_cost_usd ?? '0')
    throw error
  }
}
