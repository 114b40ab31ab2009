/** A command cannot be carried out as it was typed; the message says why. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
}
