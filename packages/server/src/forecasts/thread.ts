import { parentPort } from 'node:worker_threads'
import { answerTo } from './answer.ts'
import type { Task } from './task.ts'

/** The worker thread: computes one task at a time and transfers the response bytes without copying. */
parentPort!.on('message', (task: Task) => {
  try {
    const bytes = new TextEncoder().encode(answerTo(task))
    parentPort!.postMessage({ bytes }, [bytes.buffer])
  } catch (error) {
    parentPort!.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }, [])
  }
})
