import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into a process whose event loop is measured. Every quarter of a second it appends the longest gap between two turns: by
 * the clock, and by the processor time of the main thread in it. The clock also counts when the machine was busy with others. Threads
 * inherit what is preloaded, and what they do keeps nobody waiting.
 */
const path = process.env['BENCH_PROBE_FILE']!
const everyMs = 2
const writtenEveryMs = 250

let [wallMs, cpuMs] = [0, 0]
let last = { atMs: performance.now(), cpu: cpuMicros() }
let writtenMs = last.atMs

function cpuMicros() {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

if (isMainThread) setInterval(look, everyMs).unref()

function look() {
  const now = { atMs: performance.now(), cpu: cpuMicros() }
  wallMs = Math.max(wallMs, now.atMs - last.atMs - everyMs)
  cpuMs = Math.max(cpuMs, (now.cpu - last.cpu) / 1_000)
  if (now.atMs - writtenMs >= writtenEveryMs) {
    appendFileSync(path, `${JSON.stringify({ at: Date.now(), wallMs, cpuMs })}\n`)
    writtenMs = now.atMs
    wallMs = 0
    cpuMs = 0
  }
  last = now
}
