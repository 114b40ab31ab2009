import type { GatewayConfig, ProviderConfig, ServerToolConfig } from '../config-schema.ts'
import { type Asked, type CacheCreation, type GrantedTool, RequestFault } from '../dialects/dialect.ts'
import type { Model } from '../models/models.ts'
import { partsOf, textBound } from '../values/text-bound.ts'

/**
 * The most that a call can use. `hard` is a proof: the provider cannot bill more. `counted` rests on the provider's own count of the input, now or
 * of the conversation so far.
 * `soft` is an allowance, for what no bytes of the request bound.
 */
export interface Bound {
  readonly kind: 'hard' | 'counted' | 'soft'
  readonly inputTokens: number
  /** True where the input rests on what was billed for the conversation so far. */
  readonly isRemembered?: boolean
  /** The longest-lived cache that the input can be written to; any, where it is not said. */
  readonly cacheCreation?: CacheCreation | undefined
  /** The output of one answer, as it is written into the request. */
  readonly outputTokens: number
  /** The shortest output of one answer that is worth having. */
  readonly leastOutput: number
  /** Answers that are asked for at once. */
  readonly choices: number
  /** Output that is billed beside what the maximum bounds, of all answers together. */
  readonly extraOutput: number
  readonly tools: readonly GrantedTool[]
  /** Units with a fee of their own, by the names of the price book. */
  readonly units: Readonly<Record<string, number>>
}

/** Tokens that the provider adds around a request: separators, and a prompt of its own where there are tools. */
const fixedTokens = 64
const toolPromptTokens = 1_024
/** Tokens of a prompt that the provider writes for a tool of its own, or for an answer in a given form: the longest known has 1,234. */
const ownPromptTokens = 1_536
/** Tokens that a part of a schema may have beyond its bytes in JSON: some providers write it as TypeScript, or on lines of its own. */
const schemaPartTokens = 2
/** Tokens that an answer may have beyond its maximum, for providers that count the one which stops it. */
export const stopTokens = 16

/** Tools of providers whose price is public: what they add is held as an allowance. */
const pricedTools: Readonly<Record<string, ServerToolConfig>> = {
  web_search: { unit: 'web_search', max_uses: 8, tokens_per_use: 10_000 },
  tool_search: { max_uses: 8, tokens_per_use: 0 },
  googleSearch: { unit: 'web_search', max_uses: 8, tokens_per_use: 10_000 },
}

/** The settings of a provider on which a bound depends; without them it is the widest. */
type BoundingProvider = Pick<ProviderConfig, 'normalises' | 'allow_fields'>

interface BoundInput {
  readonly asked: Asked
  readonly text: string
  /** The length of the text in bytes, where it is known. */
  readonly size?: number
  readonly body: unknown
  readonly model: Model
  readonly provider: BoundingProvider
  readonly config: GatewayConfig
}

/** Returns the bound of a call, or throws the field because of which there is none. */
export function boundOf({ asked, text, size, body, model, provider, config }: BoundInput): Bound {
  const tools = heldTools(asked, model, config)
  refuseUnbounded(asked, model, provider, tools)
  const toolTokens = tools.reduce((sum, { granted, tokensPerUse }) => sum + granted * tokensPerUse, 0)
  const isSoft =
    asked.isOutputOpen === true || tools.length > 0 || asked.unknown.length > 0 || asked.unpriced.length > 0
  const written =
    textBound(text, body, asked.media, provider.normalises ?? true, size) +
    fixedTokens +
    (asked.hasTools ? toolPromptTokens : 0) +
    (asked.ownPrompts ?? 0) * ownPromptTokens +
    partsOf(asked.schemas) * schemaPartTokens +
    asked.images * model.imageTokens
  const fit = config.fit ?? {}
  const outputTokens = outputOf(asked, model)
  const mayShorten =
    asked.isOutputOpen !== true &&
    (fit.mode ?? 'output') === 'output' &&
    (asked.maxOutput ?? Number.POSITIVE_INFINITY) > (fit.above ?? 16_384)
  return {
    kind: isSoft ? 'soft' : 'hard',
    inputTokens: inputOf(asked, written, model) + toolTokens,
    outputTokens,
    leastOutput: mayShorten ? Math.min(outputTokens, Math.max(fit.floor ?? 1_024, asked.leastOutput)) : outputTokens,
    choices: asked.choices,
    extraOutput: asked.extraOutput + asked.choices * thinkingOf(asked, model),
    tools,
    units: unitsOf(tools),
  }
}

/** The output of one answer: what the request names, within what the model can do. */
function outputOf(asked: Asked, model: Model): number {
  if (asked.isOutputOpen !== true) {
    const ceiling = model.maxOutputTokens ?? Number.POSITIVE_INFINITY
    return Math.max(Math.min(asked.maxOutput ?? model.defaultMaxOutput, ceiling), asked.leastOutput)
  }
  if (model.maxOutputTokens !== undefined && model.bounds !== 'hard') return model.maxOutputTokens
  throw new RequestFault(
    'unbounded',
    model.bounds === 'hard'
      ? `no field bounds the output of this request, and ${model.name} allows only calls with a hard bound`
      : `no field bounds the output of this request, and the longest output of ${model.name} is not configured (max_output_tokens)`,
    'model',
  )
}

/** The thinking of one answer that may be billed beside its maximum. */
const thinkingOf = ({ thinkingOutput = 0 }: Asked, { thinkingTokens }: Model): number =>
  thinkingOutput === 'model' ? thinkingTokens : thinkingOutput

/** The input of a call: its bytes, or the window where it points to content elsewhere. */
function inputOf({ references, inputs = 1 }: Asked, written: number, { contextTokens, name }: Model): number {
  if (references.length === 0) return Math.min((contextTokens ?? Number.POSITIVE_INFINITY) * inputs, written)
  if (contextTokens !== undefined) return contextTokens * inputs
  const [field] = references
  throw new RequestFault(
    'unbounded',
    `${field} points to content of unknown length, and the context window of ${name} is not configured (context_tokens)`,
    field,
  )
}

type HeldTool = GrantedTool & { readonly tokensPerUse: number; readonly unit: string | undefined }

/** The entry of a table under a name that a caller chose. */
const own = <T>(table: Readonly<Record<string, T>> = {}, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function heldTools({ serverTools }: Asked, model: Model, config: GatewayConfig): HeldTool[] {
  return serverTools.map((tool) => {
    const price = own(config.bounds?.server_tools, tool.type) ?? own(pricedTools, tool.type)
    if (price === undefined && model.bounds !== 'allow_soft')
      throw new RequestFault(
        'unbounded',
        `the tool ${tool.type} is run by the provider and has no price here (bounds.server_tools)`,
        tool.index === undefined ? 'tools' : `tools.${tool.index}`,
      )
    const granted = Math.min(tool.uses ?? Number.POSITIVE_INFINITY, price?.max_uses ?? 8)
    return { ...tool, granted, tokensPerUse: price?.tokens_per_use ?? 0, unit: price?.unit }
  })
}

function refuseUnbounded(asked: Asked, model: Model, provider: BoundingProvider, tools: readonly HeldTool[]) {
  const allowed = provider.allow_fields ?? []
  const unpriced = model.bounds === 'allow_soft' ? undefined : asked.unpriced.find((field) => !allowed.includes(field))
  if (unpriced !== undefined)
    throw new RequestFault('unbounded', `${unpriced} can make a call cost more than can be known before it`, unpriced)
  if (model.bounds !== 'hard') return
  const [tool] = tools
  if (tool !== undefined)
    throw new RequestFault(
      'unbounded',
      `the tool ${tool.type} is run by the provider, and ${model.name} allows only calls with a hard bound`,
      'tools',
    )
  const [field] = [...asked.unknown, ...asked.unpriced]
  if (field !== undefined)
    throw new RequestFault(
      'unbounded',
      `${field} is not known here, and ${model.name} allows only calls with a hard bound`,
      field,
    )
}

function unitsOf(tools: readonly HeldTool[]): Record<string, number> {
  const units: Record<string, number> = {}
  for (const { unit, granted } of tools) if (unit !== undefined) units[unit] = (units[unit] ?? 0) + granted
  return units
}

/** The output of all answers together, as it is held. */
export const totalOutput = ({ choices, extraOutput }: Bound, perAnswer: number): number =>
  perAnswer === 0 && extraOutput === 0 ? 0 : (perAnswer + stopTokens) * choices + extraOutput

/** The output of one answer, of a total that was granted. */
export const answerOutput = ({ choices, extraOutput }: Bound, total: number): number =>
  Math.max(0, Math.floor((total - extraOutput) / choices) - stopTokens)
