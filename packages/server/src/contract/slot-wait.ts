import type { FastifyReply } from 'fastify'
import { type FairSlots, NoSlot } from '../platform/infra/fair-slots.ts'
import { errorOf } from '../values/thrown.ts'
import { ApiError } from './errors.ts'

interface SlotWait {
  /** Called once the request has its slot, before it continues. */
  readonly entered: () => void
  /** Message of the refusal when the queue is full or the wait timed out. */
  readonly refusal: string
}

/** Continues a request as soon as its organization has a slot. A caller that has hung up by then gets no response. */
export function continueWithSlot(
  slots: FairSlots,
  orgId: string,
  reply: FastifyReply,
  { entered, refusal }: SlotWait,
  done: (refused?: Error) => void,
) {
  if (slots.tryEnter(orgId)) {
    entered()
    done()
  } else void wait()

  async function wait() {
    try {
      await slots.enter(orgId)
    } catch (error) {
      return done(
        error instanceof NoSlot ? new ApiError('service_unavailable', {}, { message: refusal }) : errorOf(error),
      )
    }
    entered()
    if (!reply.raw.closed) done()
  }
}
