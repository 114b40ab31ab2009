import type { FastifyReply } from 'fastify'
import { type FairSlots, NoSlot } from '../infra/fair-slots.ts'
import { ApiError } from './errors.ts'

interface Turn {
  /** Called once the request has its place, before it goes on. */
  readonly entered: () => void
  /** The message of the refusal where the line is full or took too long. */
  readonly refusal: string
}

/** Lets a request go on as soon as its organization has a place. Who has hung up by then is answered by nobody. */
export function goOnInTurn(
  slots: FairSlots,
  orgId: string,
  reply: FastifyReply,
  { entered, refusal }: Turn,
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
        error instanceof NoSlot ? new ApiError('service_unavailable', {}, { message: refusal }) : (error as Error),
      )
    }
    entered()
    if (!reply.raw.closed) done()
  }
}
