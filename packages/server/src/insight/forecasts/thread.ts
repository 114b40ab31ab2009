import { parentPort } from 'node:worker_threads'
import { present } from '../../values/present.ts'
import { computeResponse } from './response.ts'
import type { ForecastTask } from './task.ts'

const port = present(parentPort)

/** The worker thread: computes one task at a time and transfers the response bytes without copying. */
port.on('message', (task: ForecastTask) => {
  try {
    const bytes = new TextEncoder().encode(computeResponse(task))
    port.postMessage({ bytes }, [bytes.buffer])
  } catch (error) {
    port.postMessage({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }, [])
  }
})
