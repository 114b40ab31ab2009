import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Count, Id, Nullable, OneOf, OwnId, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { Model, Provider } from '../../records/run-log/run-log.ts'
import { modelKey, strategies } from './route.ts'

export const maxModels = 500
export const maxRoutes = 200
export const maxResults = 500
const maxCandidates = 100
const maxMs = 3_600_000
export const maxTokens = 1_000_000_000
const maxScore = 1_000_000_000

const times = { created_at: Timestamp, updated_at: Timestamp }

export const OptionalProvider = Type.Optional({
  ...Nullable(Provider),
  description: 'The same name at another provider, or without one, is another model.',
})
const Region = Type.String({ ...OwnId, maxLength: 64, examples: ['eu-west-1'] })
const Capability = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]*$', maxLength: 50, examples: ['vision'] })
const Capabilities = Type.Array(Capability, { maxItems: 30, uniqueItems: true, examples: [['tools', 'vision']] })
export const Milliseconds = Type.Integer({ minimum: 1, maximum: maxMs, examples: [900] })
const ContextTokens = Type.Integer({ minimum: 1, maximum: maxTokens, examples: [128_000] })
export const Suite = Type.String({ ...OwnId, maxLength: 100, examples: ['support-quality'] })
export const Score = Type.Number({ minimum: -maxScore, maximum: maxScore, examples: [0.93] })

export const ModelInput = Type.Object(
  {
    model: Model,
    provider: OptionalProvider,
    region: Type.Optional(Nullable(Region)),
    capabilities: Type.Optional({
      ...Capabilities,
      default: [],
      description: 'The capabilities of the model, in your own words. Routes can require them.',
    }),
    context_tokens: Type.Optional({
      ...Nullable(ContextTokens),
      description: 'The most tokens that input and output may have together.',
    }),
    latency_ms: Type.Optional({
      ...Nullable(Milliseconds),
      description: 'The latency of the model, used when the eval result has none.',
    }),
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'When `false`, no route chooses the model.' })),
  },
  {
    title: 'ModelInput',
    examples: [{ model: 'gpt-4o', provider: 'openai', region: 'eu-west-1', capabilities: ['tools'], latency_ms: 900 }],
  },
)
export type ModelInput = Static<typeof ModelInput>

export const RoutingModel = Type.Object(
  {
    id: Id('model'),
    model: Type.String({ examples: ['gpt-4o'] }),
    provider: Nullable(Type.String()),
    region: Nullable(Type.String()),
    capabilities: Type.Array(Type.String()),
    context_tokens: Nullable(Count),
    latency_ms: Nullable(Count),
    enabled: Type.Boolean(),
    price: Computed(
      Nullable(
        Type.Object(
          {
            price_id: Type.String({
              description: 'The entry of the price book.',
              examples: ['list:gpt-4o@2024-08-06'],
            }),
            input_usd_per_million: Usd,
            output_usd_per_million: Usd,
            cache_read_usd_per_million: Usd,
            cache_write_usd_per_million: Usd,
            max_output_tokens: Nullable(Count),
          },
          { description: 'The current price from the price book; `null` when the model has no price.' },
        ),
      ),
    ),
    ...times,
  },
  { title: 'RoutingModel', description: 'The model.' },
)
export type ModelView = Static<typeof RoutingModel>
export const ModelPath = Type.Object({ id: PathId('org'), model_id: PathId('model') })
export const ModelList = ListOf(RoutingModel)
export const ModelListQuery = ListQuery(
  { created_at: 'time', model: 'text' },
  { model: Model, provider: Provider, enabled: Type.Boolean() },
)

const Bar = Type.Object(
  {
    suite: Suite,
    min_score: { ...Score, description: 'The lowest score that passes.', examples: [0.9] },
    min_samples: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxTokens,
        default: 1,
        description: 'The lowest number of samples that passes.',
      }),
    ),
    max_age_seconds: Type.Integer({
      minimum: 1,
      maximum: 157_680_000,
      description:
        'The highest age of the latest result. When it is older, the model is excluded until it is measured again.',
      examples: [1_209_600],
    }),
  },
  {
    title: 'Bar',
    description: 'The requirements on a model’s latest result. With `null`, any model may be chosen, measured or not.',
  },
)

const constraintFields = {
  capabilities: Type.Optional({ ...Capabilities, default: [], description: 'The model must have all of these.' }),
  regions: Type.Optional(
    Type.Array(Region, {
      maxItems: 50,
      uniqueItems: true,
      default: [],
      description: 'The allowed regions; empty allows any.',
    }),
  ),
  max_price_usd: Type.Optional({
    ...Nullable(Usd),
    description: 'The highest amount that may be held for the call.',
  }),
  max_latency_ms: Type.Optional(Nullable(Milliseconds)),
  min_context_tokens: Type.Optional(Nullable(ContextTokens)),
}

const Candidate = Type.Object(
  {
    model: Model,
    provider: OptionalProvider,
    weight: Type.Optional({
      ...Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [90] })),
      description:
        'The share of the model among those that pass. Required for every candidate of a `weighted` route, and not allowed on others.',
    }),
  },
  { title: 'Candidate' },
)

const RouteName = Type.String({
  ...OwnId,
  maxLength: 100,
  description: 'The name that requests use. It cannot begin with `rte_`, the prefix of IDs.',
  examples: ['support-chat'],
})

const routeInput = Type.Object(
  {
    name: RouteName,
    strategy: Type.Enum([...strategies], {
      description:
        'The choice among the models that pass: the cheapest, the fastest, the one with the best score, or by weight.',
    }),
    bar: Nullable(Bar),
    constraints: Type.Optional(
      Type.Object(constraintFields, {
        title: 'RouteConstraints',
        description: 'A model whose property is unknown does not meet a constraint on it.',
        default: {},
      }),
    ),
    candidates: Type.Optional({
      ...Nullable(Type.Array(Candidate, { minItems: 1, maxItems: maxCandidates })),
      description:
        'Models of the organization. With `null` or when left out, all of them, including those added later.',
    }),
  },
  {
    title: 'RouteInput',
    examples: [
      {
        name: 'support-chat',
        strategy: 'cheapest',
        bar: { suite: 'support-quality', min_score: 0.9, max_age_seconds: 1_209_600 },
        constraints: { capabilities: ['tools'] },
      },
    ],
  },
)
export type RouteInput = Static<typeof routeInput>
export const RouteInput = withCheck(routeInput, routeFaults)

function routeFaults({ name, strategy, bar, candidates }: RouteInput): FieldFault[] {
  const faults: FieldFault[] = []
  if (name.startsWith('rte_'))
    faults.push({ field: 'name', code: 'invalid_value', message: 'This must not begin with rte_, the prefix of IDs.' })
  if (strategy === 'best' && bar === null)
    faults.push({
      field: 'bar',
      code: 'required',
      message: 'The strategy best needs a bar, whose suite ranks the models.',
    })
  if (strategy === 'weighted' && candidates == null)
    faults.push({ field: 'candidates', code: 'required', message: 'A weighted route needs candidates with weights.' })
  return [...faults, ...candidateFaults(strategy, candidates ?? [])]
}

function candidateFaults(strategy: RouteInput['strategy'], candidates: NonNullable<RouteInput['candidates']>) {
  const seen = new Set<string>()
  return candidates.flatMap(({ model, provider = null, weight = null }, i): FieldFault[] => {
    const key = modelKey({ model, provider })
    const isRepeated = seen.has(key)
    seen.add(key)
    if (isRepeated)
      return [{ field: `candidates.${i}`, code: 'invalid_value', message: 'Another candidate names the same model.' }]
    if ((strategy === 'weighted') === (weight !== null)) return []
    return weight === null
      ? [
          {
            field: `candidates.${i}.weight`,
            code: 'required',
            message: 'Every candidate of a weighted route needs a weight.',
          },
        ]
      : [
          {
            field: `candidates.${i}.weight`,
            code: 'invalid_value',
            message: 'Only candidates of a weighted route can have a weight.',
          },
        ]
  })
}

export const ModelRoute = Type.Object(
  {
    id: Id('modelRoute'),
    name: Type.String({ examples: ['support-chat'] }),
    strategy: OneOf(['cheapest', 'fastest', 'best', 'weighted']),
    bar: Nullable(
      Type.Object({
        suite: Type.String(),
        min_score: Type.Number(),
        min_samples: Count,
        max_age_seconds: Count,
      }),
    ),
    constraints: Type.Object({
      capabilities: Type.Array(Type.String()),
      regions: Type.Array(Type.String()),
      max_price_usd: Nullable(Usd),
      max_latency_ms: Nullable(Count),
      min_context_tokens: Nullable(Count),
    }),
    candidates: Nullable(
      Type.Array(
        Type.Object({ model: Type.String(), provider: Nullable(Type.String()), weight: Nullable(Type.Integer()) }),
      ),
    ),
    ...times,
  },
  { title: 'ModelRoute', description: 'The route.' },
)
export type RouteView = Static<typeof ModelRoute>
export const RoutePath = Type.Object({ id: PathId('org'), route_id: PathId('modelRoute') })
export const RouteList = ListOf(ModelRoute)
export const RouteListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { name: RouteName, strategy: Type.Enum([...strategies]) },
)
