import type { FastifyReply, FastifyRequest } from 'fastify'
import { idempotencyOf, replay } from '../access/idempotency/idempotency.ts'
import { asJsonText } from '../contract/envelope.ts'
import type { DecidedOperation, Lanes, NamedRun, Operation, OperationPlan, Timed } from './lanes/lanes.ts'

export interface ReplyOptions<P extends OperationPlan> {
  readonly status?: 200 | 201
  /** Returns the response of an earlier request with the same effect, where there was one. */
  readonly findEarlier?: (result: DecidedOperation<P> | NamedRun) => Promise<object> | undefined
  /** Called when the operation could not be decided. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * Sends an operation through its lane and replies with a response made of its plan and outcome. The response is serialized before
 * the commit, so that the bytes stored under the idempotency key are the ones that are sent. The response of an earlier request may
 * have to be looked up.
 */
export async function runOperation<P extends OperationPlan>(
  lanes: Lanes,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation<P>,
  answer: (decided: DecidedOperation<P>) => object,
  { status = 200, findEarlier, onFailure }: ReplyOptions<P> = {},
) {
  const written = (body: object) =>
    reply.code(status).serializeInput(body as Record<string, unknown>, `${status}`) as string
  const claim = idempotencyOf(request)
  let response: string | undefined
  const idempotency = claim && {
    ...claim,
    status,
    answer: (decided: DecidedOperation<P>) => {
      response = isSuccess(decided.outcome) ? written(answer(decided)) : undefined
      return response
    },
  }
  const submitted = lanes.submit<P>(idempotency ? { ...operation, idempotency } : operation, request.raw.socket)
  if (onFailure) submitted.catch(onFailure)
  const result = await submitted
  if (result.type === 'replayed') return replay(reply, status, result.response)
  // Missing and hidden resources get the same response, to the last header.
  if (result.type === 'existing' || result.outcome.type !== 'not_found')
    reply.header('server-timing', serverTiming(result))
  // Nobody is there to use the hold, or the caller got an error. A caller with a key will come back for it.
  const isLost = request.raw.socket.destroyed || request.isAnswered
  if (isLost && operation.makesHold !== undefined && !claim && operation.isRecoverableByName !== true)
    lanes.releaseLater(operation.orgId, operation.makesHold)
  return asJsonText(reply, status).send(response ?? written(await bodyOf(result)))

  /** Builds the body of a response that is not stored. */
  async function bodyOf(found: DecidedOperation<P> | NamedRun): Promise<object> {
    const earlier = await findEarlier?.(found)
    if (earlier) return earlier
    if (found.type === 'existing') throw new TypeError('an existing run has no response')
    return answer(found)
  }
}

/** True when the operation took effect now; the effect of an earlier request is found again without a stored response. */
const isSuccess = (outcome: DecidedOperation['outcome']) =>
  outcome.type === 'held' || outcome.type === 'extended' || (outcome.type === 'ended' && !outcome.isRepeat)

const serverTiming = ({ timing: { waitMs, readMs, decideMs, commitMs } }: Timed<object>) =>
  `wait;dur=${brief(waitMs)}, read;dur=${brief(readMs)}, decide;dur=${brief(decideMs)}, commit;dur=${brief(commitMs)}`

const brief = (ms: number) => Math.round(ms * 100) / 100
