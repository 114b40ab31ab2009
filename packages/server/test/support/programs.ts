import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LogLine } from './harness.ts'

export interface RunningRole {
  readonly process: ChildProcess
  readonly lines: LogLine[]
  readonly errors: string[]
  /** Resolves with the first line, past or to come, that matches. */
  readonly line: (matches: (line: LogLine) => boolean) => Promise<LogLine>
  readonly exit: Promise<number | null>
}

/** Compiled modules, shared by all programs under test: half of a start is spent on compiling. */
const compileCache = join(tmpdir(), 'weir-compile-cache')

/** The environment of a program under test, before its own variables: nothing of this process but the path. */
export const programEnvironment = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compileCache }

/** Starts a program that logs JSON lines, as a process of its own; whoever starts it also ends it. */
export function startProgram(
  name: string,
  [command, ...parameters]: readonly [string, ...string[]],
  environment: Record<string, string>,
): RunningRole {
  const child = spawn(command, parameters, {
    env: { ...programEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: LogLine[] = []
  const errors: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text) as LogLine)
    wake()
  })
  createInterface({ input: child.stderr }).on('line', (text) => errors.push(text))
  const exit = once(child, 'close').then(([code]) => code as number | null)
  void exit.then(wake)
  return {
    process: child,
    lines,
    errors,
    exit,
    line: (matches) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = lines.find(matches)
          const ended = child.exitCode !== null || child.signalCode !== null
          if (!found && !ended) return
          waiting.delete(check)
          if (found) resolve(found)
          else
            reject(
              new Error(
                `${name} ended without it: ${[...errors, ...lines.map((line) => JSON.stringify(line))].join('\n')}`,
              ),
            )
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Waits until a condition holds; polls what cannot be listened to. */
export async function eventually(holds: () => Promise<boolean> | boolean, withinMs = 120_000) {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the condition did not come to hold in time')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Stops a process in its tracks: the signal alone leaves its threads running for a moment, on a busy machine a long one. */
export async function suspend(child: ChildProcess) {
  child.kill('SIGSTOP')
  const tasks = `/proc/${child.pid}/task`
  const isStopped = (task: string) => /\) T [^)]*$/.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'))
  await eventually(() => readdirSync(tasks).every(isStopped))
}
