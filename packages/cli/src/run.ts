import { CommanderError } from 'commander'
import { exitCodes, Fault } from './faults.ts'
import { cleanText } from './output/clean.ts'
import { Terminal } from './output/terminal.ts'
import { createProgram } from './program.ts'
import type { Surroundings } from './surroundings.ts'
import { messageOf } from './values.ts'

/** Runs a command line to its end; the exit code is left in its surroundings. */
export async function run(args: readonly string[], surroundings: Surroundings) {
  try {
    await createProgram(surroundings).parseAsync(args, { from: 'user' })
  } catch (error) {
    surroundings.exitCode = explain(error, surroundings)
  }
}

/** Explains why the program ends, and returns its exit code. */
function explain(error: unknown, surroundings: Surroundings): number {
  // Commander has printed what is to be said.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  const terminal = new Terminal(surroundings)
  if (error instanceof Fault) {
    terminal.fault(cleanText(error.message), error.hint === undefined ? undefined : cleanText(error.hint))
    return exitCodes[error.reason]
  }
  terminal.fault(cleanText(messageOf(error)))
  if (surroundings.env['WEIR_DEBUG'])
    surroundings.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  return exitCodes.finding
}
