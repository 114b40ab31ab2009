import { openSync, writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { beatMs, machineMs } from './heartbeat.ts'

/** The thread of a heartbeat: writes the times of its last two beats, at the same place. */

const file = openSync(String(workerData), 'w', 0o600)
const bytes = Buffer.alloc(16)
let beforeMs = machineMs()
const beat = () => {
  const nowMs = machineMs()
  bytes.writeDoubleLE(nowMs, 0)
  bytes.writeDoubleLE(beforeMs, 8)
  writeSync(file, bytes, 0, bytes.length, 0)
  beforeMs = nowMs
}
beat()
setInterval(beat, beatMs)
