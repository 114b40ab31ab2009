import type { Edit } from '../values/json-text.ts'
import { type Asked, type Dialect, type JsonObject, RequestFault, type ServerTool } from './dialect.ts'
import { arrayOf, countAt, isGiven, isObject, parseObject } from './fields.ts'
import { contentsIn, contentsOf, contentTexts, stringsIn } from './gemini-content.ts'
import { GeminiMeter, refusesGeminiKey } from './gemini-meter.ts'
import { fieldNames, objectsAt, type Spelled, spelled, spelledAt } from './spellings.ts'

/** The dialect of Gemini's `generateContent` and `streamGenerateContent`. */

const topFields =
  fieldNames(`model contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent
  labels store serviceTier continuationToken generationOutputConfig`)

const configFields =
  fieldNames(`temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs logprobs
  presencePenalty frequencyPenalty seed responseMimeType responseSchema responseJsonSchema responseFormat responseModalities
  mediaResolution speechConfig thinkingConfig imageConfig audioTimestamp audioTranscriptionConfig enableEnhancedCivicAnswers
  routingConfig modelConfig modelSelectionConfig`)

/** Settings by which a caller would choose another model. */
const choosing = ['routingConfig', 'modelConfig', 'modelSelectionConfig']

const thinkingFields = fieldNames('includeThoughts thinkingBudget thinkingLevel')

/** Fields of a tool: any but the first is a tool that Google runs, also one that does not exist yet. */
const toolFields =
  fieldNames(`functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext fileSearch
  googleMaps computerUse mcpServers retrieval enterpriseWebSearch`)

/** Fields that point to content elsewhere. */
const referring = ['cachedContent', 'continuationToken']

/** Fields that the count of tokens takes. */
const counted = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'cachedContent']

export const gemini: Dialect = {
  name: 'gemini',
  kinds: ['gemini', 'vertex-gemini'],

  analyse(body, { model, stream = false }) {
    const top = spelled(body, topFields)
    const config = spelledAt(top, 'generationConfig', configFields)
    const found = contentsOf(contentsIn(top))
    const thinkingOutput = thinkingIn(config, top.keyOf('generationConfig'))
    const maxOutput = countOf(config, 'maxOutputTokens', `${top.keyOf('generationConfig')}.`)
    const tools = objectsAt(top, 'tools')
    const forms = ['responseSchema', 'responseJsonSchema', 'responseFormat'].map((name) => config.at(name))
    return {
      model: namedModel(top, model),
      stream,
      choices: countOf(config, 'candidateCount', `${top.keyOf('generationConfig')}.`) ?? 1,
      ...found,
      references: [...found.references, ...givenOf(top, referring)],
      maxOutput,
      outputFields: [`${top.keyOf('generationConfig')}.${config.keyOf('maxOutputTokens')}`],
      leastOutput: 1,
      extraOutput: 0,
      thinkingOutput,
      hasTools: tools.length > 0,
      ownPrompts: forms.some(isGiven) || hasForm(config) ? 1 : 0,
      schemas: [tools, ...forms],
      serverTools: serverToolsIn(tools),
      // It would have the answer written elsewhere, with the rights of the gateway.
      unpriced: [...unpricedIn(config, model), ...givenOf(top, ['generationOutputConfig'])],
      unknown: [...top.unknown, ...config.unknown],
      serviceTier: tierIn(top),
      wantsUsage: true,
      hidesReasoning: thinkingOutput !== 0,
    } satisfies Asked
  },

  edits: (asked, granted): Edit[] => {
    const [config = '', field = ''] = asked.outputFields[0]?.split('.') ?? []
    return asked.maxOutput === granted ? [] : [{ path: [config, field], value: granted }]
  },

  meter: (asked) => new GeminiMeter(asked),
  refusesKey: refusesGeminiKey,

  generatedText: (data) =>
    arrayOf(parseObject(data)?.['candidates'])
      .flatMap((candidate) => (isObject(candidate) && isObject(candidate['content']) ? [candidate['content']] : []))
      .flatMap(({ parts }) => arrayOf(parts).flatMap((part) => (isObject(part) ? generatedIn(part) : [])))
      .join(''),

  countRequest(body) {
    const top = spelled(body, topFields)
    // The answer that is to be continued is nothing that a count would see.
    if (top.at('continuationToken') !== undefined) return undefined
    const kept = counted.flatMap((name) => (top.at(name) === undefined ? [] : [[name, top.at(name)] as const]))
    const request = { model: `models/${String(body['model'])}`, ...Object.fromEntries(kept) }
    return {
      path: '/v1beta/models/{model}:countTokens',
      body: { generateContentRequest: request },
      answerField: 'totalTokens',
    }
  },

  texts: (body) => [
    ...arrayOf(body['contents']).toReversed().flatMap(contentTexts),
    ...contentTexts(body['systemInstruction'] ?? body['system_instruction']),
  ],
}

/** Returns the model of a request, which its path names. A body may repeat it, and must not name another. */
export function namedModel(outer: Spelled, model: string | undefined, place = ''): string {
  const said = outer.at('model')
  if (model === undefined) throw new RequestFault('invalid_request', 'the path must name a model', 'model')
  if (said === undefined || said === model || said === `models/${model}`) return model
  throw new RequestFault('invalid_request', `${place}model must be that of the path, models/${model}`, `${place}model`)
}

/** Fields of these that are there, as they are spelled. */
const givenOf = (fields: Spelled, names: readonly string[]): string[] =>
  names.filter((name) => fields.at(name) !== undefined).map((name) => fields.keyOf(name))

const hasForm = (config: Spelled) => config.at('responseMimeType') !== undefined

const countOf = (fields: Spelled, name: string, place: string, minimum = 1): number | undefined =>
  countAt({ [name]: fields.at(name) }, name, place + fields.keyOf(name), minimum)

/**
 * Returns the tokens of thinking that may be billed beside the maximum of output. Google says that the maximum does not bound them, and
 * some models act otherwise: what is held covers both.
 */
function thinkingIn(config: Spelled, place: string): number | 'model' {
  const thinking = spelledAt(config, 'thinkingConfig', thinkingFields, `${place}.`)
  // Minus one lets the model choose.
  if (thinking.at('thinkingBudget') === -1) return 'model'
  return countOf(thinking, 'thinkingBudget', `${place}.${config.keyOf('thinkingConfig')}.`, 0) ?? 'model'
}

/** Fields that choose another model, or answers in pictures and sound, whose number no maximum bounds. */
function unpricedIn(config: Spelled, model = ''): string[] {
  const kinds = config.at('responseModalities') ?? []
  const isUnsaid = Array.isArray(kinds) && kinds.length === 0
  const isText = isUnsaid
    ? !/image|omni|tts/.test(model)
    : Array.isArray(kinds) && kinds.every((kind) => kind === 'TEXT')
  return [
    ...choosing.filter((name) => config.at(name) !== undefined),
    ...(isText ? [] : ['generationConfig.responseModalities']),
  ]
}

function tierIn(top: Spelled): 'flex' | 'priority' | undefined {
  const tier = top.at('serviceTier')
  if (tier === undefined || tier === 'standard' || tier === 'unspecified') return undefined
  if (tier === 'flex' || tier === 'priority') return tier
  const key = top.keyOf('serviceTier')
  throw new RequestFault('unbounded', `${key} ${JSON.stringify(tier)} has no known price`, key)
}

function serverToolsIn(tools: readonly JsonObject[]): ServerTool[] {
  return tools.flatMap((tool, index) => {
    const fields = spelled(tool, toolFields, `tools.${index}.`)
    const known = [...toolFields.values()].filter((name) => name !== 'functionDeclarations')
    const types = [...known.filter((name) => fields.at(name) !== undefined), ...fields.unknown.map(lastOf)]
    return types.map((type): ServerTool => ({ type, uses: undefined, index }))
  })
}

const lastOf = (place: string) => place.slice(place.lastIndexOf('.') + 1)

/** Texts that a model has generated in a part: what it says, thinks, calls and would run. */
const generatedIn = ({ text, functionCall, executableCode }: JsonObject): string[] =>
  [text, functionCall, executableCode].flatMap(stringsIn)
