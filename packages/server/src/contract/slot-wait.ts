import type { FastifyReply } from 'fastify'
import { type FairSlots, NoSlot } from '../platform/infra/fair-slots.ts'
import { errorOf } from '../values/thrown.ts'
import { ApiError } from './errors.ts'

/** Slots that requests need before they continue; made once, and not for each request. */
export interface SlotGate {
  readonly slots: FairSlots
  /** Called once a request of an organization has its slot, before it continues. */
  readonly entered: (orgId: string, reply: FastifyReply) => void
  /** Message of the refusal when the queue is full or the wait timed out. */
  readonly refusal: string
}

type Done = (refused?: Error) => void

/** Continues a request as soon as its organization has a slot. A caller that has hung up by then gets no response. */
export function continueWithSlot(gate: SlotGate, orgId: string, reply: FastifyReply, done: Done) {
  if (gate.slots.tryEnter(orgId)) {
    gate.entered(orgId, reply)
    done()
  } else void waitForSlot(gate, orgId, reply, done)
}

async function waitForSlot({ slots, entered, refusal }: SlotGate, orgId: string, reply: FastifyReply, done: Done) {
  try {
    await slots.enter(orgId)
  } catch (error) {
    return done(
      error instanceof NoSlot ? new ApiError('service_unavailable', {}, { message: refusal }) : errorOf(error),
    )
  }
  entered(orgId, reply)
  if (!reply.raw.closed) done()
}
