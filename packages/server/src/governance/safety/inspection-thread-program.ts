import { parentPort } from 'node:worker_threads'
import { Lru } from '../../values/lru.ts'
import { present } from '../../values/present.ts'
import { errorOf } from '../../values/thrown.ts'
import { compileSafety, inspect, type SafetyCheck } from './inspection.ts'
import type { InspectionMessage, InspectionResult } from './inspection-thread.ts'
import type { SafetySettings } from './settings.ts'

const port = present(parentPort)

/** Program of the thread that inspects long inputs: several at a time, which give way to each other every few milliseconds. */

const maxChecks = 100
const checks = new Lru<string, SafetyCheck>(maxChecks)

function checkOf(settings: SafetySettings): SafetyCheck {
  const key = JSON.stringify(settings)
  const known = checks.get(key)
  if (known) return known
  const check = compileSafety(settings)
  checks.set(key, check)
  return check
}

const running = new Map<number, AbortController>()

async function resultOf(message: Exclude<InspectionMessage, { isCancelled: true }>): Promise<InspectionResult> {
  const { id, settings, input, includeBelowThreshold } = message
  const controller = new AbortController()
  running.set(id, controller)
  try {
    return {
      id,
      findings: await inspect(checkOf(settings), input, { includeBelowThreshold, signal: controller.signal }),
    }
  } catch (error) {
    return { id, failed: String(errorOf(error).stack) }
  } finally {
    running.delete(id)
  }
}

port.on('message', (message: InspectionMessage) => {
  if ('isCancelled' in message) running.get(message.id)?.abort()
  else void resultOf(message).then((result) => port.postMessage(result, []))
})
