import type { FastifyReply, FastifyRequest } from 'fastify'
import { idempotencyOf, replay } from '../access/idempotency/idempotency.ts'
import { asJsonText } from '../contract/envelope.ts'
import type { Lanes, Operation, OperationResult } from './lanes/lanes.ts'

type DecidedResult = Pick<OperationResult, 'outcome' | 'atMs'>

/**
 * Sends an operation through its lane and replies with its outcome. The response is serialized before the commit, so that the
 * bytes stored under the idempotency key are the ones that are sent. The response of an earlier request may have to be looked up.
 */
export async function runOperation(
  lanes: Lanes,
  request: FastifyRequest,
  reply: FastifyReply,
  task: Operation,
  answer: (result: DecidedResult) => object,
  {
    status = 200,
    findEarlier,
  }: { status?: 200 | 201; findEarlier?: (result: DecidedResult) => Promise<object> | undefined } = {},
) {
  const written = (body: object) =>
    reply.code(status).serializeInput(body as Record<string, unknown>, `${status}`) as string
  const text = (result: DecidedResult) => written(answer(result))
  const claim = idempotencyOf(request)
  let response: string | undefined
  const result = await lanes.submit({
    ...task,
    isAbandoned: () => request.raw.socket.destroyed,
    ...(claim && {
      idempotency: {
        ...claim,
        status,
        answer: (outcome, atMs) => {
          response = isSuccess(outcome) ? text({ outcome, atMs }) : undefined
          return response
        },
      },
    }),
  })
  if (result.replay !== undefined) return replay(reply, status, result.replay)
  // Missing and hidden resources get the same response, to the last header.
  if (result.outcome.type !== 'not_found') reply.header('server-timing', serverTiming(result))
  // Nobody is there to use the hold, or the caller got an error. A caller with a key will come back for it.
  const isLost = request.raw.socket.destroyed || request.isAnswered
  if (isLost && task.makesHold !== undefined && !claim && task.isRecoverableByName !== true)
    lanes.releaseLater(task.orgId, task.makesHold)
  const found = response === undefined ? await findEarlier?.(result) : undefined
  return asJsonText(reply, status).send(response ?? (found ? written(found) : text(result)))
}

/** True when the operation took effect now; the effect of an earlier request is found again without a stored response. */
const isSuccess = (outcome: OperationResult['outcome']) =>
  outcome.type === 'held' || outcome.type === 'extended' || (outcome.type === 'ended' && !outcome.isRepeat)

const serverTiming = ({ timing: { waitMs, readMs, decideMs, commitMs } }: OperationResult) =>
  `wait;dur=${brief(waitMs)}, read;dur=${brief(readMs)}, decide;dur=${brief(decideMs)}, commit;dur=${brief(commitMs)}`

const brief = (ms: number) => Math.round(ms * 100) / 100
