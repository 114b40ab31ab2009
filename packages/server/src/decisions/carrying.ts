import type { FastifyReply, FastifyRequest } from 'fastify'
import { asJsonText } from '../contract/envelope.ts'
import { idempotencyOf, replay } from '../idempotency/idempotency.ts'
import type { Lanes, Result, Task } from '../lanes/lanes.ts'

type Told = Pick<Result, 'verdict' | 'atMs'>

/**
 * Sends a task through its lane and answers with what became of it. The bytes of the answer are made before the commit, so
 * that those kept under the caller's key are the ones that are sent. What was answered before by another request may have to be
 * looked up.
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
  // What is missing and what is hidden from the caller are answered alike, to the last header.
  if (result.verdict.type !== 'not_found') reply.header('server-timing', serverTiming(result))
  // Nobody is there to use it, or was told otherwise. A caller with a key will come back for it.
  const isLost = request.raw.socket.destroyed || request.isAnswered
  if (isLost && task.makesHold !== undefined && !claim && task.isFoundAgain !== true)
    lanes.releaseLater(task.orgId, task.makesHold)
  const found = kept === undefined ? await look?.(result) : undefined
  return asJsonText(reply, status).send(kept ?? (found ? written(found) : text(result)))
}

/** What had an effect now; what an earlier request had is found again without being kept. */
const isSuccess = (verdict: Result['verdict']) =>
  verdict.type === 'held' || verdict.type === 'extended' || (verdict.type === 'ended' && !verdict.isRepeat)

const serverTiming = ({ timing: { waitMs, readMs, decideMs, commitMs } }: Result) =>
  `wait;dur=${brief(waitMs)}, read;dur=${brief(readMs)}, decide;dur=${brief(decideMs)}, commit;dur=${brief(commitMs)}`

const brief = (ms: number) => Math.round(ms * 100) / 100
