import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TakerReport, TakerTask } from './rate-taker.ts'

const taker = fileURLToPath(new URL('./rate-taker.ts', import.meta.url))
const run = promisify(execFile)

/** Processes that take from one window of a new organization at once, and what all of them were given. */
export async function takeTogether(processes: number, task: Omit<TakerTask, 'orgId'>) {
  const whole: TakerTask = { orgId: randomUUID(), ...task }
  const reports = await Promise.all(
    Array.from({ length: processes }, async () => {
      const { stdout } = await run(process.execPath, [taker, JSON.stringify(whole)], { maxBuffer: 1 << 26 })
      return JSON.parse(stdout) as TakerReport
    }),
  )
  return {
    takes: reports.reduce((sum, { takes }) => sum + takes, 0),
    notByRedis: reports.reduce((sum, { notByRedis }) => sum + notByRedis, 0),
    refused: reports.flatMap(({ refused }) => refused),
    admitted: reports.flatMap(({ admitted }) => admitted).sort(([a], [b]) => a - b),
  }
}
