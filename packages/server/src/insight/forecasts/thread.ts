import { parentPort } from 'node:worker_threads'
import { computeResponse } from './response.ts'
import type { ForecastTask } from './task.ts'

/** The worker thread: computes one task at a time and transfers the response bytes without copying. */
parentPort!.on('message', (task: ForecastTask) => {
  try {
    const bytes = new TextEncoder().encode(computeResponse(task))
    parentPort!.postMessage({ bytes }, [bytes.buffer])
  } catch (error) {
    parentPort!.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }, [])
  }
})
