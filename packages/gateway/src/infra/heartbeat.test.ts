import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { beatMs, endedBy, Heartbeat, machineMs, readBeats } from './heartbeat.ts'
import { Journal, type LeftOpen, readLeftOpen } from './journal.ts'
import { createLog } from './log.ts'

const folder = mkdtempSync(join(tmpdir(), 'weir-heartbeat-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a heart beats on while its process does nothing else', async () => {
  const path = join(folder, 'alive')
  const heartbeat = new Heartbeat(path)
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const until = machineMs() + 60_000
  // From here to the end nothing but another thread can write.
  const first = () => readBeats(path)?.lastMs ?? 0
  while (first() === 0 && machineMs() < until) Atomics.wait(pause, 0, 0, 5)
  const began = first()
  while (first() <= began && machineMs() < until) Atomics.wait(pause, 0, 0, 5)
  expect(first()).toBeGreaterThan(began)
  await heartbeat.stop()
  expect(existsSync(path)).toBe(false)
})

test('a thread that was late once can have been as late again', () => {
  expect(endedBy({ lastMs: 5_000, beforeMs: 4_950 })).toBe(5_000 + 2 * beatMs)
  expect(endedBy({ lastMs: 5_000, beforeMs: 4_000 })).toBe(6_000)
})

test('what a process leaves open says when it can have ended at the latest, and nothing of it stays', async () => {
  const journal = new Journal(folder)
  const own = readdirSync(folder).find((name) => name.endsWith('.ndjson')) ?? ''
  const began = `${own.split('-')[1]!.split('.')[0]}.1`
  const call = { externalId: 'gw:1', runId: 'run_1', model: 'm', inputTokens: 1, outputTokens: 1 }
  const lines = [
    { t: 'process', pid: 4_194_999, began },
    { t: 'start', id: 'gw:1', call },
  ]
  writeFileSync(join(folder, `4194999-${began}-1.ndjson`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const beats = Buffer.alloc(16)
  beats.writeDoubleLE(12, 0)
  beats.writeDoubleLE(10, 8)
  writeFileSync(join(folder, `4194999-${began}.alive`), beats)
  const taken: LeftOpen[] = []
  readLeftOpen(folder, createLog('silent'), (left) => void taken.push(...left))
  expect(taken).toMatchObject([{ id: 'gw:1', call, endedByMs: 12 + 2 * beatMs }])
  await journal.close()
  expect(readdirSync(folder)).toEqual([])
})
