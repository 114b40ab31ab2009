import { hash } from 'node:crypto'

interface WeightedItem {
  readonly name: string
  readonly weight: number
}

/** Hashes a text to a number strictly between 0 and 1. */
const uniform = (text: string): number =>
  (Number.parseInt(hash('sha256', text, 'hex').slice(0, 13), 16) + 0.5) / 2 ** 52

/**
 * Orders items by a weighted draw without replacement. Each item has its own number (rendezvous hashing), so that an item that
 * joins or leaves moves only its own share of the tickets; all others keep their model.
 */
export function drawOrder<T>(items: readonly T[], ticket: number, weightOf: (item: T) => WeightedItem): T[] {
  return items
    .map((item) => {
      const { name, weight } = weightOf(item)
      // The smallest of several exponential variables is each one with a probability proportional to its rate.
      return { item, name, turn: weight > 0 ? -Math.log(uniform(`${ticket}\0${name}`)) / weight : Infinity }
    })
    .sort((a, b) => (a.turn === b.turn ? (a.name < b.name ? -1 : 1) : a.turn - b.turn))
    .map(({ item }) => item)
}

/** Returns the ticket of a sticky value, which differs between routes. */
export const stickyTicket = (routeId: string, sticky: string): number => uniform(`${routeId}\0${sticky}`)
