import type { Random } from './random.ts'

/** A series whose trend, season, level shift and noise are known, because they were put there. */
export interface KnownSeries {
  readonly name: string
  readonly values: Float64Array
  /** How many of the values are to be told from those before. */
  readonly held: number
}

const gauss = (random: Random) => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

const profiles = [
  [1, 1.05, 1.1, 1.05, 0.95, 0.45, 0.4],
  [1.2, 1.1, 1, 1, 1, 0.8, 0.9],
  [0.9, 0.9, 0.95, 1, 1.1, 1.15, 1],
  [1, 1, 1, 1, 1, 1, 1],
]

/** Of each kind as many as of the others: flat, growing, shrinking, shifted, growing and shifted. */
export function knownSeries(random: Random, index: number, longest = 730): KnownSeries {
  const kind = ['flat', 'growing', 'shrinking', 'shifted', 'growing and shifted'][index % 5]!
  const held = random.pick([14, 30, 60])
  const length = random.between(Math.min(200, longest), longest) + held
  const level = 10 ** (1 + 3 * random.next())
  const growth = kind.startsWith('growing') ? random.between(50, 250) / 100 : kind === 'shrinking' ? -0.5 : 0
  const shiftAt = kind.endsWith('shifted')
    ? random.between(Math.floor((length - held) * 0.3), length - held - 45)
    : length
  const shift = random.chance(0.5) ? 1.4 + random.next() : 0.4 + 0.3 * random.next()
  const profile = random.pick(profiles)
  const noise = random.between(4, 20) / 100
  const memory = random.pick([0, 0, 0.3, 0.6])
  let last = 0
  const values = Float64Array.from({ length }, (_, day) => {
    last = memory * last + Math.sqrt(1 - memory ** 2) * gauss(random)
    const trend = 1 + (growth * day) / length
    return Math.max(0, level * trend * (day >= shiftAt ? shift : 1) * profile[day % 7]! * (1 + noise * last))
  })
  const about = `${kind}, ${length - held} days, noise ${Math.round(100 * noise)} %, memory ${memory}`
  return { name: about, values, held }
}
