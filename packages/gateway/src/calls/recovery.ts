import type { Usage } from '../dialects/dialect.ts'
import type { AskedCall, LeftOpen, OpenCall, Seen } from '../infra/journal.ts'
import type { Settlement } from '../weir/settlements.ts'
import type { GatewayParts } from './gateway-parts.ts'

/** Settles what an ended process left open: as it would have, at nothing where a call was not sent, or by how far it had come. */
export function settleLeftOpen(parts: GatewayParts, left: readonly LeftOpen[]) {
  const { settlements, journal, metrics } = parts
  for (const { id, call, asked, seen, settlement, endedByMs } of left) {
    if (call) journal?.write({ t: 'start', id, call })
    else if (asked) journal?.write({ t: 'ask', id, ...asked })
    metrics.settlements.inc({ kind: 'journal' })
    const known = settlement as Settlement | undefined
    if (known) settlements.add(known, undefined)
    else if (call) settlements.add(judgedByProgress(call, seen, endedByMs), undefined)
    else if (asked?.nonce !== undefined) void endNamed(parts, id, asked)
    // Ends the run if it was made, and fences it off if it was not.
    else if (asked) settlements.add({ ...unsent(id), model: asked.model }, undefined)
  }
}

const unsent = (externalId: string) =>
  ({ externalId, runId: undefined, status: 'cancelled', kind: 'zero' }) satisfies Settlement

/** Ends the run of a call that its caller has named: only if it is the very run, because another call may have its id by now. */
async function endNamed({ weir, settlements, journal }: GatewayParts, id: string, { nonce }: AskedCall) {
  const run = await weir.find(settlements.reader(), id)
  if (run?.status === 'running' && run.metadata['gateway_call'] === nonce)
    settlements.add({ ...unsent(id), runId: run.id }, undefined)
  else journal?.write({ t: 'done', id })
}

export function judgedByProgress(call: OpenCall, seen: Seen | undefined, endedByMs: number | undefined): Settlement {
  const said: Partial<Usage> | undefined = seen?.usage
  return {
    externalId: call.externalId,
    runId: call.runId,
    status: 'failed',
    kind: 'partial',
    usage: {
      ...said,
      input_tokens: said?.input_tokens ?? call.inputTokens,
      output_tokens: Math.min(
        call.outputTokens,
        Math.max(said?.output_tokens ?? 0, (seen?.outputTokens ?? 0) + unseenOf(seen, endedByMs)),
      ),
    },
  }
}

/** The time for which a provider goes on when its caller's process has ended: until the system has closed its connections, and it has heard. */
const unheardMs = 200

/** Returns the tokens that may have come since the last note of a call's progress, until its provider heard that nobody listens. */
function unseenOf(seen: Seen | undefined, endedByMs: number | undefined): number {
  const { atMs, perSecond, unseenTokens: byDefault = unseenTokens } = seen ?? {}
  if (atMs === undefined || perSecond === undefined || endedByMs === undefined) return byDefault
  return Math.ceil((perSecond * (Math.max(0, endedByMs - atMs) + unheardMs)) / 1_000)
}

/** Tokens that may have come after the last note of a call's progress, where there is none. */
const unseenTokens = 200
