import type { GatewayConfig, ModelConfig } from '../config-schema.ts'
import { knownLimits } from './known-limits.ts'

/** A model: its providers, and the numbers that bound a call. */
export interface Model {
  readonly name: string
  /** Providers to ask, in order. */
  readonly providers: readonly string[]
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number | undefined
  readonly defaultMaxOutput: number
  /** The most tokens that it can think for one answer. */
  readonly thinkingTokens: number
  readonly imageTokens: number
  readonly bounds: 'hard' | 'priced' | 'allow_soft'
  readonly downgrade: readonly string[]
}

/** A project and a region of a cloud, as a caller names them. */
export interface Place {
  readonly project: string
  readonly region: string
}

/** The output of a call that names no maximum, reasoning included. */
const defaultMaxOutput = 32_768
/** The most tokens of thinking where nothing is known about the model. */
const unknownThinkingTokens = 65_536
/** The most tokens of an image where nothing is known about the model. */
const unknownImageTokens = 50_000

export type Models = ReturnType<typeof createModels>

/** Finds models by the names that callers use: an exact name, an alias, or the longest prefix. */
export function createModels({ models = [], providers, bounds }: GatewayConfig) {
  const traits = models.filter((one) => !('alias' in one))
  const aliases = new Map(models.flatMap((one) => ('alias' in one ? [[one.name, one.alias] as const] : [])))
  const only = Object.keys(providers).length === 1 ? Object.keys(providers)[0] : undefined

  const entryOf = (name: string) =>
    traits.find((one) => 'name' in one && one.name === name) ??
    traits
      .filter((one) => 'prefix' in one && name.startsWith(one.prefix))
      .sort((a, b) => ('prefix' in b ? b.prefix.length : 0) - ('prefix' in a ? a.prefix.length : 0))[0]

  const find = (asked: string, provider?: string): Model | undefined => {
    const name = aliases.get(asked) ?? asked
    const entry: Partial<Exclude<ModelConfig, { alias: string }>> | undefined = entryOf(name)
    const first = provider ?? entry?.provider ?? only
    if (first === undefined || !Object.hasOwn(providers, first)) return undefined
    const known = knownLimits(name)
    return {
      name,
      providers: provider === undefined ? [first, ...(entry?.fallback ?? [])] : [first],
      contextTokens: entry?.context_tokens ?? known?.contextTokens,
      maxOutputTokens: entry?.max_output_tokens ?? known?.maxOutputTokens,
      defaultMaxOutput: entry?.default_max_output ?? defaultMaxOutput,
      thinkingTokens: entry?.thinking_tokens ?? known?.thinkingTokens ?? unknownThinkingTokens,
      imageTokens: entry?.image_tokens ?? known?.imageTokens ?? unknownImageTokens,
      bounds: entry?.bounds ?? bounds?.default ?? 'priced',
      downgrade: entry?.downgrade ?? [],
    }
  }

  /** Finds a model by its name or its id, such as that of a deployment, among those that some providers list. */
  const findId = (id: string, among: readonly string[]): Model | undefined => {
    for (const name of among) {
      const listed = Object.entries(providers[name]?.deployments ?? providers[name]?.model_ids ?? {})
      const [model] = listed.find((each) => each.includes(id)) ?? []
      if (model === undefined) continue
      const found = find(model)
      return found?.providers[0] === name ? found : find(model, name)
    }
    return undefined
  }

  /** A model that a route has yet to choose: nothing is known of it, so nothing but the request bounds a call. */
  const unchosen = (name: string): Model => ({
    name,
    providers: [],
    contextTokens: undefined,
    maxOutputTokens: undefined,
    defaultMaxOutput,
    thinkingTokens: unknownThinkingTokens,
    imageTokens: unknownImageTokens,
    bounds: bounds?.default ?? 'priced',
    downgrade: [],
  })

  /** Names that a list of models can show. */
  const names = () => models.flatMap((one) => ('name' in one ? [one.name] : []))

  return { find, findId, unchosen, names }
}
