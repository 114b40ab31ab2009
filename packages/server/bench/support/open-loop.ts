import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** An answer, or what happened instead of one. */
export interface Answered {
  /** When the request was due, from the beginning. */
  readonly dueMs: number
  /** From then until the answer was there: a request that had to wait for its turn has waited. */
  readonly tookMs: number
  readonly status: number
  readonly body: string
}

export interface Requests {
  readonly port: number
  readonly path: string
  readonly key: string
  readonly body: string
  readonly perSecond: number
  readonly seconds: number
}

/**
 * Sends requests at moments that are fixed beforehand, whatever becomes of those before, as many callers do who know nothing of each other. A
 * server that falls behind cannot slow them down, so its delays show.
 */
export async function askAtRate({ port, path, key, body, perSecond, seconds }: Requests): Promise<Answered[]> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 256, pipelining: 1, headersTimeout: 30_000 })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const answers: Answered[] = []
  const count = perSecond * seconds
  const beganMs = performance.now()
  let pending = 0
  const idle = new EventTarget()
  const send = async (dueMs: number) => {
    pending += 1
    let status = 0
    let text = ''
    try {
      const answer = await pool.request({ method: 'POST', path, headers, body })
      status = answer.statusCode
      text = await answer.body.text()
    } catch {
      // No answer is a result like any other.
    }
    answers.push({ dueMs, tookMs: performance.now() - beganMs - dueMs, status, body: text })
    pending -= 1
    if (pending === 0) idle.dispatchEvent(new Event('idle'))
  }
  for (let sent = 0; sent < count; ) {
    const nowMs = performance.now() - beganMs
    for (; sent < count && (sent * 1_000) / perSecond <= nowMs; sent++) void send((sent * 1_000) / perSecond)
    await sleep(1)
  }
  if (pending > 0) await once(idle, 'idle')
  await pool.close()
  return answers
}
