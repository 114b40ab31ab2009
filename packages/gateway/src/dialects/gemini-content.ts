import { type Asked, type JsonObject, RequestFault } from './dialect.ts'
import { arrayOf, isBase64, isObject } from './fields.ts'
import { fieldNames, objectsAt, type Spelled, spelled, spelledAt } from './spellings.ts'

/** Contents of requests to Gemini: their parts, as far as they decide how long the input can be. */

type Found = Pick<Asked, 'media' | 'images' | 'references'>

const contentFields = fieldNames('role parts')

/** Fields of a part. The tokens of all but the last few are in their bytes. */
const partFields =
  fieldNames(`text thought thoughtSignature functionCall functionResponse executableCode codeExecutionResult
  toolCall toolResponse partMetadata speechMetadata inlineData fileData mediaResolution videoMetadata`)
const responseFields = fieldNames('id name response parts willContinue scheduling')
const dataFields = fieldNames('mimeType data displayName')
const resolutionFields = fieldNames('level numTokens')

/** Finds images and references in contents. A part that is not known may be anything, so it counts as a reference. */
export function contentsOf(contents: readonly (readonly [content: JsonObject, place: string])[]): Found {
  const media = new Set<string>()
  const references: string[] = []
  let images = 0
  const lookAtPart = (object: JsonObject, place: string) => {
    const part = spelled(object, partFields, `${place}.`)
    references.push(...part.unknown)
    for (const name of ['fileData', 'videoMetadata'])
      if (part.at(name) !== undefined) references.push(`${place}.${part.keyOf(name)}`)
    const resolution = spelledAt(part, 'mediaResolution', resolutionFields, `${place}.`)
    if (resolution.at('numTokens') !== undefined || resolution.unknown.length > 0)
      references.push(`${place}.${part.keyOf('mediaResolution')}`)
    const response = spelledAt(part, 'functionResponse', responseFields, `${place}.`)
    references.push(...response.unknown)
    objectsAt(response, 'parts', `${place}.`).forEach((inner, i) => lookAtPart(inner, `${place}.parts.${i}`))
    if (part.at('inlineData') === undefined) return
    const inline = spelledAt(part, 'inlineData', dataFields, `${place}.`)
    const [type, data] = [inline.at('mimeType'), inline.at('data')]
    if (isImage(type) && typeof data === 'string' && isBase64(data)) {
      images += 1
      media.add(data)
    } else references.push(`${place}.${part.keyOf('inlineData')}`)
  }
  for (const [object, place] of contents) {
    const content = spelled(object, contentFields, `${place}.`)
    references.push(...content.unknown)
    objectsAt(content, 'parts', `${place}.`).forEach((part, i) => lookAtPart(part, `${place}.parts.${i}`))
  }
  return { media, images, references }
}

const isImage = (type: unknown) => typeof type === 'string' && /^image\/[a-z0-9.+-]{1,40}$/i.test(type)

/** Returns the contents of a request with the places where they stand. */
export function contentsIn(top: Spelled): (readonly [JsonObject, string])[] {
  if (!Array.isArray(top.at('contents')))
    throw new RequestFault('invalid_request', 'contents must be an array', 'contents')
  const system = top.at('systemInstruction')
  const place = top.keyOf('systemInstruction')
  if (system !== undefined && !isObject(system))
    throw new RequestFault('invalid_request', `${place} must be an object`, place)
  return [
    ...(system === undefined ? [] : [[system, place] as const]),
    ...objectsAt(top, 'contents').map((content, i) => [content, `contents.${i}`] as const),
  ]
}

/** Texts of a content, with those that functions have returned. */
export const contentTexts = (content: unknown): string[] =>
  isObject(content)
    ? arrayOf(content['parts']).flatMap((part) =>
        isObject(part)
          ? [
              ...(typeof part['text'] === 'string' ? [part['text']] : []),
              ...stringsIn(part['functionResponse'] ?? part['function_response']),
            ]
          : [],
      )
    : []

/** All texts inside a value. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(stringsIn)
}
