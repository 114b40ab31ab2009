import { Random as Chance } from '../../../server/test/support/random.ts'

/** Chance that can be repeated, for requests and streams of any form. */
export class Random extends Chance {
  constructor(seed: number) {
    // Seeds that follow each other must not begin alike.
    super(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b))
  }

  /** A whole number up to a largest one; small ones are as likely as large ones. */
  size(most: number): number {
    return Math.floor((most + 1) ** this.next()) - (this.chance(0.1) ? 1 : 0)
  }

  /** A list of so many values at most. */
  list<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.between(0, most) }, (_, index) => make(index))
  }

  /** An object with some of the members. */
  members(share: number, all: Readonly<Record<string, () => unknown>>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(all).flatMap(([key, make]) => (this.chance(share) ? [[key, make()]] : [])))
  }
}
