import type { FastifyReply, FastifyRequest } from 'fastify'
import { asJsonText } from '../contract/envelope.ts'
import { idempotencyOf, replay } from '../idempotency/idempotency.ts'
import type { Lanes, Result, Task } from '../lanes/lanes.ts'

type Told = Pick<Result, 'verdict' | 'atMs'>

/**
 * Sends an operation through its lane and replies with its outcome. The response is serialized before the commit, so that the
 * bytes stored under the idempotency key are the ones that are sent. The response of an earlier request may have to be looked up.
 */
export async function carryOut(
  lanes: Lanes,
  request: FastifyRequest,
  reply: FastifyReply,
  task: Task,
  answer: (result: Told) => object,
  { status = 200, look }: { status?: 200 | 201; look?: (result: Told) => Promise<object> | undefined } = {},
) {
  const written = (body: object) =>
    reply.code(status).serializeInput(body as Record<string, unknown>, `${status}`) as string
  const text = (result: Told) => written(answer(result))
  const claim = idempotencyOf(request)
  let kept: string | undefined
  const result = await lanes.submit({
    ...task,
    isAbandoned: () => request.raw.socket.destroyed,
    ...(claim && {
      idempotency: {
        ...claim,
        status,
        answer: (verdict, atMs) => {
          kept = isSuccess(verdict) ? text({ verdict, atMs }) : undefined
          return kept
        },
      },
    }),
  })
  if (result.replay !== undefined) return replay(reply, status, result.replay)
  // Missing and hidden resources get the same response, to the last header.
  if (result.verdict.type !== 'not_found') reply.header('server-timing', serverTiming(result))
  // Nobody is there to use the hold, or the caller got an error. A caller with a key will come back for it.
  const isLost = request.raw.socket.destroyed || request.isAnswered
  if (isLost && task.makesHold !== undefined && !claim && task.isFoundAgain !== true)
    lanes.releaseLater(task.orgId, task.makesHold)
  const found = kept === undefined ? await look?.(result) : undefined
  return asJsonText(reply, status).send(kept ?? (found ? written(found) : text(result)))
}

/** True when the operation took effect now; the effect of an earlier request is found again without a stored response. */
const isSuccess = (verdict: Result['verdict']) =>
  verdict.type === 'held' || verdict.type === 'extended' || (verdict.type === 'ended' && !verdict.isRepeat)

const serverTiming = ({ timing: { waitMs, readMs, decideMs, commitMs } }: Result) =>
  `wait;dur=${brief(waitMs)}, read;dur=${brief(readMs)}, decide;dur=${brief(decideMs)}, commit;dur=${brief(commitMs)}`

const brief = (ms: number) => Math.round(ms * 100) / 100
