import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type RunningRole, startProgram } from './programs.ts'

export { eventually, type RunningRole, suspend } from './programs.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Starts a role of the real program, or of another version of it, as a process of its own; what a test leaves running is killed at its end. */
export function startRole(role: string, environment: Record<string, string>, program = main): RunningRole {
  const running = startProgram(role, [process.execPath, program, ...role.split(' ')], environment)
  started.push(running.process)
  return running
}

const started: ChildProcess[] = []

/** Kills what is still running. `leftovers.ts` calls it after each test file. */
export function killRoles() {
  for (const child of started.splice(0)) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}

/** Starts the API and waits until it serves. */
export async function startApi(environment: Record<string, string>, program = main) {
  const role = startRole('api', environment, program)
  const { url } = await role.line(({ message }) => message === 'serving')
  return { ...role, url: String(url).replace('localhost', '127.0.0.1') }
}
