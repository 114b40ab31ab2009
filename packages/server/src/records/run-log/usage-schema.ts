import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { OneOf, OwnId, optionalFields } from '../../contract/wire.ts'
import { serviceTiers } from '../../money/prices/prices.ts'
import { namesOf } from '../../values/records.ts'

/** Schema of what a run used. */

const text = (maxLength: number, examples: string[]) => Type.String({ ...OwnId, maxLength, examples })

export const Model = text(200, ['gpt-4o'])
export const Provider = text(100, ['openai'])

export const maxRunTokens = 1_000_000_000
const Tokens = (description: string, examples = [1_200]) =>
  Type.Integer({ minimum: 0, maximum: maxRunTokens, description, examples })

/** Tokens as OpenTelemetry names them. */
export const usageFields = {
  input_tokens: Tokens('All of them, cached ones included.'),
  output_tokens: Tokens('All of them, reasoning included.'),
  cache_read_input_tokens: Tokens('The part of the input that was read from a cache.'),
  cache_creation_input_tokens: Tokens('The part of the input that was written to a cache.'),
  reasoning_output_tokens: Tokens('The part of the output that was reasoning.'),
}
export const usageNames = namesOf(usageFields)

/** Kinds of tokens that some models price apart; each is a part of the counts above. */
const otherTokenFields = {
  cache_creation_1h_input_tokens: Tokens('The part of `cache_creation_input_tokens` that is kept for an hour.', [800]),
  audio_input_tokens: Tokens('The part of the input that was audio.', [100]),
  image_input_tokens: Tokens('The part of the input that was images.', [100]),
  video_input_tokens: Tokens('The part of the input that was video.', [100]),
  cache_read_audio_input_tokens: Tokens('The audio that was read from a cache: a part of both.', [50]),
  cache_read_image_input_tokens: Tokens('The images that were read from a cache: a part of both.', [50]),
  audio_output_tokens: Tokens('The part of the output that was audio.', [100]),
  image_output_tokens: Tokens('The part of the output that was images.', [100]),
  video_output_tokens: Tokens('The part of the output that was video.', [100]),
  citation_output_tokens: Tokens('The part of the output that was citations.', [50]),
}

const maxUnitKinds = 8
const maxUnits = 1_000_000
const maxParts = 4

const unitName = '^[a-z][a-z0-9_]{0,49}$'

export const Units = Type.Record(
  Type.String({ pattern: unitName, maxLength: 50 }),
  Type.Integer({ minimum: 0, maximum: maxUnits }),
  {
    title: 'Units',
    maxProperties: maxUnitKinds,
    description: 'What was used beside tokens and has a fee of its own, by name: `web_search`, `storage_search`, …',
    examples: [{ web_search: 2 }],
  },
)

const { cache_creation_1h_input_tokens } = otherTokenFields
const Usage = Type.Object(
  { ...optionalFields({ ...usageFields, cache_creation_1h_input_tokens }), units: Type.Optional(Units) },
  { title: 'PartUsage' },
)

const parts = Type.Array(
  Type.Object({ model: Model, provider: Type.Optional(Provider), usage: Usage }, { title: 'UsagePart' }),
  {
    maxItems: maxParts,
    description:
      'Tokens of other models that worked for this run, such as an advisor, added up by model: beside its own counts, not among them, and at the price of their own model.',
    examples: [[{ model: 'claude-opus-4-5', usage: { input_tokens: 800, output_tokens: 200 } }]],
  },
)

const tierText = 'The tier of service that ran it, where it is not the one that was asked for.'

/** Fields of an ending that say what was used beside plain tokens. */
export const detailFields = {
  service_tier: Type.Optional(Type.Enum([...serviceTiers], { description: tierText, examples: ['standard'] })),
  ...optionalFields(otherTokenFields),
  units: Type.Optional(Units),
  parts: Type.Optional(parts),
}
const detailNames = namesOf(detailFields)

/** The same, as a run shows it. */
export const UsageDetail = Type.Object(
  {
    ...detailFields,
    service_tier: Type.Optional(
      OneOf(serviceTiers, { description: 'The tier of service that it was charged at.', examples: ['standard'] }),
    ),
  },
  {
    title: 'UsageDetail',
    description: 'What was reported beside plain tokens, as it was charged. null where there was nothing.',
  },
)

const stated = Type.Object(detailFields)
export type UsageDetail = Readonly<Static<typeof stated>>

/** Everything that one model used. */
const all = Type.Object({
  ...optionalFields(usageFields),
  ...optionalFields(otherTokenFields),
  units: Type.Optional(Units),
})
export type UsageCounts = Readonly<Static<typeof all>>

/** Returns what an ending says beside plain tokens; undefined where it says nothing. */
export function detailIn(said: UsageDetail): UsageDetail | undefined {
  const found = detailNames.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]] as const]))
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Field errors of counts that are more than the whole of which they are a part. */
export function usageFaults(usage: UsageCounts & UsageDetail, prefix = ''): FieldFault[] {
  return [
    ...excesses(usage).map(([name, whole]) => ({
      field: `${prefix}${name}`,
      code: 'out_of_range' as const,
      message: `This is a part of ${whole}, and cannot be more.`,
    })),
    ...(usage.parts ?? []).flatMap((part, i) => usageFaults(part.usage, `${prefix}parts.${i}.usage.`)),
  ]
}

/** The counts that are too many, each with the count that it is a part of. */
function excesses(usage: UsageCounts): [name: string, whole: string][] {
  const count = (name: keyof typeof usageFields | keyof typeof otherTokenFields) => usage[name] ?? 0
  const [audio, image, video] = (['audio', 'image', 'video'] as const).map((kind) => count(`${kind}_input_tokens`))
  const cachedAudio = count('cache_read_audio_input_tokens')
  const cachedImage = count('cache_read_image_input_tokens')
  const media = (audio ?? 0) + (image ?? 0) + (video ?? 0)
  const cached = count('cache_read_input_tokens') + count('cache_creation_input_tokens')
  const found: [string, string][] = []
  const check = (isExcess: boolean, name: string, whole: string) => {
    if (isExcess) found.push([name, whole])
  }
  check(
    count('cache_creation_1h_input_tokens') > count('cache_creation_input_tokens'),
    'cache_creation_1h_input_tokens',
    'cache_creation_input_tokens',
  )
  check(cachedAudio > (audio ?? 0), 'cache_read_audio_input_tokens', 'audio_input_tokens')
  check(cachedImage > (image ?? 0), 'cache_read_image_input_tokens', 'image_input_tokens')
  check(
    cachedAudio + cachedImage > count('cache_read_input_tokens'),
    cachedAudio > 0 ? 'cache_read_audio_input_tokens' : 'cache_read_image_input_tokens',
    'cache_read_input_tokens',
  )
  const given = ['audio_input_tokens', 'image_input_tokens', 'video_input_tokens'] as const
  check(
    media > 0 && media + cached - cachedAudio - cachedImage > count('input_tokens'),
    given.find((name) => count(name) > 0) ?? given[0],
    'input_tokens',
  )
  const outputs = [
    'audio_output_tokens',
    'image_output_tokens',
    'video_output_tokens',
    'citation_output_tokens',
  ] as const
  check(
    outputs.reduce((sum, name) => sum + count(name), 0) > count('output_tokens'),
    outputs.find((name) => count(name) > 0) ?? outputs[0],
    'output_tokens',
  )
  return found
}
