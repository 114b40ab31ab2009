/** Exit codes of the program. Scripts depend on them: they are documented in docs/cli.md and never change their meaning. */
export const exitCodes = {
  ok: 0,
  /** The server refused, or a check found something. */
  finding: 1,
  /** The command line or the file is wrong: nothing was sent that changes anything. */
  usage: 2,
  /** `apply --check` found a difference between the file and the server. */
  drift: 3,
  /** No usable answer came. */
  unreachable: 4,
  /** There is no key, or the key may not do this. */
  unauthorized: 5,
  /** Somebody else changed a resource since the plan was made. */
  overtaken: 6,
} as const

export type ExitReason = keyof typeof exitCodes

/** A failure that is explained to the caller, without a stack trace. */
export class Fault extends Error {
  readonly reason: ExitReason
  readonly hint: string | undefined

  constructor(reason: ExitReason, message: string, hint?: string) {
    super(message)
    this.reason = reason
    this.hint = hint
  }
}
