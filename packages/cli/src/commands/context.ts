import type { Command } from 'commander'
import { Terminal } from '../output/terminal.ts'
import { confirm, readSecret } from '../session/secret-input.ts'
import { findTarget, openSession, type Session, type Target } from '../session/session.ts'
import type { Surroundings } from '../surroundings.ts'

export interface GlobalOptions {
  readonly url?: string
  readonly profile?: string
  readonly json?: boolean
  readonly reason?: string
}

/** The means of a command. */
export interface Context {
  readonly terminal: Terminal
  readonly env: NodeJS.ProcessEnv
  readonly isJson: boolean
  readonly options: GlobalOptions
  readonly target: () => Target
  readonly session: () => Promise<Session>
  readonly readSecret: (question: string) => Promise<string>
  readonly confirm: (question: string) => Promise<boolean>
  /** Says how the program ends although nothing failed. */
  readonly end: (exitCode: number) => void
}

const surroundings = new WeakMap<Command, Surroundings>()

/** Sets what is around a program and all its commands. */
export const surround = (program: Command, given: Surroundings) => void surroundings.set(program, given)

function surroundingsOf(command: Command): Surroundings {
  let root = command
  while (root.parent) root = root.parent
  return surroundings.get(root) ?? process
}

export function contextOf(command: Command): Context {
  const options = command.optsWithGlobals<GlobalOptions>()
  const given = surroundingsOf(command)
  const terminal = new Terminal(given)
  const target = () => findTarget(given.env, options)
  return {
    terminal,
    env: given.env,
    isJson: options.json === true,
    options,
    target,
    session: () => {
      const found = target()
      if (isInTheOpen(found.url))
        terminal.note(`weir: ${found.url} is not encrypted: whoever is on the way reads your key`)
      return openSession(found, {
        reason: options.reason,
        onWait: (why) => terminal.progress(`waiting (${why})`),
      })
    },
    readSecret: (question) => readSecret(given, question),
    confirm: (question) => confirm(given, question),
    end: (exitCode) => {
      given.exitCode = exitCode
    },
  }
}

export function isInTheOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** An action of a command: it gets the context, its options, and its arguments. */
export type Run<O> = (context: Context, options: O, ...args: string[]) => Promise<void> | void

/** Registers what a command does; commander hands over arguments, then options, then the command. */
export function action<O>(command: Command, run: Run<O>): Command {
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).filter((one) => typeof one === 'string')
    await run(contextOf(command), command.opts<O & object>(), ...args)
  })
}
