import { parentPort, workerData } from 'node:worker_threads'
import { hunt } from './bounds.ts'

/** A share of a long hunt: seeds in parcels, each reported when it is done. */
const { first, count, step } = workerData as { first: number; count: number; step: number }
const parcel = 1_000
for (let at = first; at < count; at += parcel * step)
  parentPort?.postMessage(hunt(at, Math.min(parcel, count - at)), [])
