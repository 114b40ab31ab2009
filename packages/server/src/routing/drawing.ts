import { hash } from 'node:crypto'

interface Drawn {
  readonly name: string
  readonly weight: number
}

/** Strictly between 0 and 1, the same for the same text. */
const uniform = (text: string): number =>
  (Number.parseInt(hash('sha256', text, 'hex').slice(0, 13), 16) + 0.5) / 2 ** 52

/**
 * Draws everything by its weight, without putting back. Each has a number of its own (rendezvous hashing), so that who leaves or
 * joins moves only its own share of the tickets: all others stay with the model they had.
 */
export function drawOrder<T>(items: readonly T[], ticket: number, of: (item: T) => Drawn): T[] {
  return items
    .map((item) => {
      const { name, weight } = of(item)
      // The least of exponential variables is each with a chance in proportion to its rate.
      return { item, name, turn: weight > 0 ? -Math.log(uniform(`${ticket}\0${name}`)) / weight : Infinity }
    })
    .sort((a, b) => (a.turn === b.turn ? (a.name < b.name ? -1 : 1) : a.turn - b.turn))
    .map(({ item }) => item)
}

/** The ticket of whoever wants to stay with a model: another one for each route. */
export const stickyTicket = (routeId: string, sticky: string): number => uniform(`${routeId}\0${sticky}`)
