import type { Random } from '../support/random.ts'
import { textOf } from './texts.ts'

/** Parts of generated requests that all dialects have. */

export type Members = Record<string, unknown>
export type Maker = (random: Random) => Members

export const maximum = (random: Random) => random.pick([1, 2, 17, 100, 4_096, 16_384, 20_000, 128_000, 100_000_000])

/** The bytes of an image as base64; the same ones again and again, so that a caller can repeat them as text. */
export const pixels = [
  'iVBORw0KGgoAAAANSUhEUg==',
  '/9j/4AAQSkZJRgABAQAA',
  'R0lGODdhAQABAPAAAP///wAAACwAAAAAAQABAAACAkQBADs=',
  'A'.repeat(900),
]
export const dataUrl = (random: Random) =>
  `data:image/${random.pick(['png', 'jpeg', 'webp'])};base64,${random.pick(pixels)}`
export const imageUrl = (random: Random) =>
  random.chance(0.7) ? dataUrl(random) : `https://example.com/${textOf(random, 40)}.png`
/** A text, at times one that is also the bytes of an image. */
export const said = (random: Random, most?: number) =>
  random.chance(0.04) ? random.pick([random.pick(pixels), dataUrl(random)]) : textOf(random, most)

/** A schema of parameters: what a provider writes into its prompt in a form of its own. */
export function schemaOf(random: Random, depth = 0): unknown {
  const kind = random.between(0, depth > 3 ? 4 : 7)
  if (kind === 0) return { type: 'string', description: textOf(random, 60) }
  if (kind === 1 && random.chance(0.1)) return { enum: Array.from({ length: random.size(4_000) }, (_, i) => i % 10) }
  if (kind === 1)
    return { enum: random.list(40, (i) => random.pick([i % 10, i, true, null, '', 'a', textOf(random, 8)])) }
  if (kind === 2) return { type: 'number', minimum: 0, maximum: random.between(0, 9) }
  if (kind === 3) return { type: ['string', 'null'], const: random.pick([0, '', false, null]) }
  if (kind === 4) return {}
  if (kind === 5) return { type: 'array', items: schemaOf(random, depth + 1) }
  const properties = Object.fromEntries(
    random.list(6, (i) => [random.chance(0.8) ? `p${i}` : textOf(random, 12), schemaOf(random, depth + 1)]),
  )
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

export const functionOf = (random: Random, i: number) => ({
  name: `f${i}`,
  ...random.members(0.7, { description: () => textOf(random, 200), parameters: () => schemaOf(random) }),
})
