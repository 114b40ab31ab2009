/** Chance that can be repeated: the same seed gives the same run on every machine. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Mulberry32, in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** From 0 to below the bound. */
  int(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  between(least: number, most: number): number {
    return least + this.int(most - least + 1)
  }

  amount(most: number): bigint {
    return BigInt(this.between(0, most))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)]!
  }

  some<T>(from: readonly T[], probability: number): T[] {
    return from.filter(() => this.chance(probability))
  }

  uuid(): string {
    const hex = () =>
      this.int(2 ** 32)
        .toString(16)
        .padStart(8, '0')
    const [a, b, c, d] = [hex(), hex(), hex(), hex()]
    return `${a}-${b.slice(4)}-7${b.slice(0, 3)}-a${c.slice(5)}-${c.slice(0, 4)}${d}`
  }
}

/** The first seed of a random run: from the environment, or any. Whoever uses it prints it. */
export const firstSeed = (): number => Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000_000))
