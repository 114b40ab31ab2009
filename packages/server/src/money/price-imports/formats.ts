import { parseExact } from '../../values/exact-json.ts'
import { isGenai, readGenai } from './genai-format.ts'
import { readLines } from './json-lines.ts'
import type { Listing } from './listings.ts'
import { isLitellm, readLitellm } from './litellm-format.ts'
import { isModelsDev, readModelsDev } from './models-dev-format.ts'

/** Formats of files, told apart by their shape. */
export const formats = ['genai-prices', 'litellm', 'models.dev'] as const
export type PriceFormat = (typeof formats)[number]

const readers: Readonly<Record<PriceFormat, { is: (file: unknown) => boolean; read: (file: unknown) => Listing[] }>> = {
  'genai-prices': { is: isGenai, read: readGenai },
  litellm: { is: isLitellm, read: readLitellm },
  'models.dev': { is: isModelsDev, read: readModelsDev },
}

/** Models of a file. */
export interface PriceFile {
  readonly format: PriceFormat
  readonly listings: readonly Listing[]
}

/** Thrown for a file that is in none of the formats; the message says what to do. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** Reads a file in one of the formats. */
export function readPriceFile(text: string, wanted: PriceFormat | undefined): PriceFile {
  let file: unknown
  try {
    file = parseExact(text)
  } catch (error) {
    const { fault } = readLines(text)
    const where = fault ? `: line ${fault.line}, column ${fault.column}` : ''
    throw new UnreadableFile(`The file is not JSON${where}.`, { cause: error })
  }
  const format = wanted ?? formats.find((each) => readers[each].is(file))
  if (!format || !readers[format].is(file))
    throw new UnreadableFile(
      `The file is not in ${wanted ? `the format of ${wanted}` : 'a known format'}. Give the data.json of genai-prices, the model_prices_and_context_window.json of LiteLLM or the api.json of models.dev.`,
    )
  const { lineOf } = readLines(text)
  const listings = readers[format].read(file).map((listing) => ({ ...listing, line: lineOf(listing.place) }))
  return { format, listings }
}
