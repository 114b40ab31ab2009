import { setPriority } from 'node:os'
import { serialize } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { present } from '../values/present.ts'
import { errorOf } from '../values/thrown.ts'
import type { BodyTask, BodyTaskResult, ThreadSchemas } from './body-thread.ts'
import { ApiError } from './errors.ts'
import { jsonBody } from './json-body.ts'
import type { BodySource, BodyType } from './routes.ts'
import { bodyFaultsOf } from './unreadable-body.ts'
import { bodyChecker } from './validation.ts'
import { splitValue } from './value-pieces.ts'

const port = present(parentPort)

/** Program of the thread that reads bodies: it receives bytes and sends back faults, or the validated value in pieces. */

const lowPriority = 10
try {
  // On Linux a priority belongs to the thread: the thread that serves requests comes before the one that parses.
  if (process.platform === 'linux') setPriority(lowPriority)
} catch {
  // Lowering the priority is optional: parsing works without it.
}

const schemas = workerData as ThreadSchemas
const checkers = new Map<string, ReturnType<typeof bodyChecker>>()

function checkerOf(route: string) {
  let checker = checkers.get(route)
  if (!checker) checkers.set(route, (checker = bodyChecker(present(schemas[route]))))
  return checker
}

async function typeOf({ url, name, parameters }: BodySource): Promise<BodyType> {
  const exported = ((await import(url)) as Record<string, unknown>)[name]
  return parameters === undefined
    ? (exported as BodyType)
    : (exported as (...all: unknown[]) => BodyType)(...parameters)
}

async function resultOf({ bytes, bounds, route, source }: BodyTask): Promise<BodyTaskResult> {
  const type = source === undefined ? jsonBody : await typeOf(source)
  const value = type.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bounds)
  const faults = bodyFaultsOf(value) ?? checkerOf(route)(value)
  return faults.length > 0 ? { faults } : { pieces: splitValue(value).map((piece) => new Uint8Array(serialize(piece))) }
}

async function answer(task: BodyTask) {
  const result = await resultOf(task).catch((error: unknown): BodyTaskResult => {
    if (error instanceof ApiError && error.code === 'payload_too_large') return { tooLarge: error.message }
    return { failed: String(errorOf(error).stack) }
  })
  port.postMessage(result, 'pieces' in result ? result.pieces.map(({ buffer }) => buffer) : [])
}

port.on('message', (task: BodyTask) => void answer(task))
