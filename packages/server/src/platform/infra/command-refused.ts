/** Thrown when a command cannot be run as typed; the message says why. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
}
