import { type Asked, type Dialect, type JsonObject, RequestFault } from './dialect.ts'
import { isObject } from './fields.ts'
import { namedModel } from './gemini.ts'
import { contentsOf, contentTexts } from './gemini-content.ts'
import { GeminiMeter, refusesGeminiKey } from './gemini-meter.ts'
import { fieldNames, objectsAt, type Spelled, spelled } from './spellings.ts'

/** The dialect of Gemini's `embedContent` and `batchEmbedContents`. There is no output to bound. */

const batchFields = fieldNames('requests')
const requestFields = fieldNames('model content taskType title outputDimensionality embedContentConfig')

/** Returns the requests of a batch, or the only one, with the place of each. */
function requestsIn(body: JsonObject): (readonly [JsonObject, string])[] {
  if (body['requests'] === undefined) return [[body, '']]
  return objectsAt(spelled(body, batchFields), 'requests').map((one, i) => [one, `requests.${i}.`] as const)
}

/** Returns the model of the path, which every request may repeat. */
function modelOf(requests: readonly (readonly [Spelled, string])[], model: string | undefined): string {
  const [first] = requests.map(([request, place]) => namedModel(request, model, place))
  if (first === undefined) throw new RequestFault('invalid_request', 'requests must not be empty', 'requests')
  return first
}

export const geminiEmbeddings: Dialect = {
  name: 'gemini-embeddings',
  kinds: ['gemini'],

  analyse(body, { model }) {
    const requests = requestsIn(body).map(([one, place]) => [spelled(one, requestFields, place), place] as const)
    const beside = body['requests'] === undefined ? [] : spelled(body, batchFields).unknown
    const contents = requests.flatMap(([request, place]) => {
      const content = request.at('content')
      return isObject(content) ? [[content, `${place}content`] as const] : []
    })
    const { media, images, references } = contentsOf(contents)
    return {
      model: modelOf(requests, model),
      stream: false,
      choices: 1,
      inputs: Math.max(1, requests.length),
      media,
      images,
      references: [...references, ...beside],
      maxOutput: 0,
      outputFields: [],
      leastOutput: 0,
      extraOutput: 0,
      hasTools: false,
      serverTools: [],
      unpriced: [],
      unknown: requests.flatMap(([request]) => request.unknown),
      serviceTier: undefined,
      wantsUsage: false,
      hidesReasoning: false,
    } satisfies Asked
  },

  edits: () => [],
  meter: (asked) => new GeminiMeter(asked),
  refusesKey: refusesGeminiKey,
  generatedText: () => '',
  texts: (body) => requestsIn(body).flatMap(([{ content }]) => contentTexts(content)),
}
