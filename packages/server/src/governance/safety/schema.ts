import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, Nullable, Timestamp } from '../../contract/wire.ts'
import { detectors } from './detectors.ts'
import { modes } from './settings.ts'

/** The longest input, in characters: 1 MiB of plain text. */
const maxInputCharacters = 1_048_576
const maxInputParts = 50
const maxThreshold = 100

/**
 * The content that is about to be sent to a model: one text or several. The schema branches on the type, so that an error is
 * reported for the form that was meant.
 */
export const SafetyInput = Type.Unsafe<string | string[]>({
  type: ['string', 'array'],
  if: { type: ['array'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    type: 'array',
    maxItems: maxInputParts,
    items: { type: 'string', maxLength: maxInputCharacters },
  },
  else: { type: 'string', maxLength: maxInputCharacters },
  description: `The content that is about to be sent: one text, or up to ${maxInputParts} texts, with at most 1,048,576 characters in total. Content safety inspects it; it is neither stored nor logged.`,
  examples: ['Summarise this ticket: the parcel has not arrived.'],
})
export type SafetyInput = string | string[]

/** Checks the total length of an input's texts, which JSON Schema cannot express. */
export function safetyInputFaults(input: SafetyInput | undefined, field = 'input'): FieldFault[] {
  if (!Array.isArray(input)) return []
  const units = input.reduce((sum, part) => sum + part.length, 0)
  if (units <= maxInputCharacters || input.reduce((sum, part) => sum + characters(part), 0) <= maxInputCharacters)
    return []
  return [{ field, code: 'too_long', message: `This must have at most ${maxInputCharacters} characters in total.` }]
}

/** Counts the characters of a text without lone surrogates, as every text of a request is: a pair is one. */
function characters(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >> 10 === highSurrogates) count--
  return count
}
const highSurrogates = 0xd800 >> 10

const mode = Type.Enum([...modes], {
  title: 'DetectorMode',
  description:
    '`alert`: a hit is counted and reported as an event. `block`: the request is also refused with 403 `content_safety_blocked`.',
})
const threshold = Type.Integer({
  title: 'DetectorThreshold',
  minimum: 1,
  maximum: maxThreshold,
  description:
    'The number of distinct hits from which the detector fires; for `prompt_injection`, the score from 1 to 100.',
})

const ownPattern = {
  name: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[a-z0-9][a-z0-9_.-]*$',
    description: 'Lower case; responses call it `custom:<name>`.',
    examples: ['project_codes'],
  }),
  pattern: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'A regular expression in RE2 syntax, without back-references and look-around.',
    examples: ['\\bZEUS-\\d{4}\\b'],
  }),
  mode,
}
const allowed = Type.String({
  minLength: 2,
  maxLength: 200,
  description: 'A text within which nothing counts as a hit, or `@example.com` for all addresses of a domain.',
  examples: ['@example.com'],
})

const perDetector = <S>(make: (detector: (typeof detectors)[number]) => S): Record<string, S> =>
  Object.fromEntries(detectors.map((detector) => [detector.name, make(detector)]))

const draft = Type.Object(
  {
    detectors: Type.Optional(
      Type.Object(
        perDetector(({ description }) =>
          Type.Optional(
            Type.Object({ mode, threshold: Type.Optional(threshold) }, { title: 'DetectorInput', description }),
          ),
        ),
        { title: 'DetectorsInput' },
      ),
    ),
    patterns: Type.Optional(
      Type.Array(Type.Object({ ...ownPattern, threshold: Type.Optional(threshold) }, { title: 'OwnPatternInput' }), {
        maxItems: 50,
      }),
    ),
    allow_list: Type.Optional(Type.Array(allowed, { maxItems: 200, uniqueItems: true })),
  },
  {
    title: 'ContentSafetyInput',
    examples: [
      {
        detectors: { card_number: { mode: 'block' }, email: { mode: 'alert', threshold: 3 } },
        patterns: [{ name: 'project_codes', pattern: '\\bZEUS-\\d{4}\\b', mode: 'alert' }],
        allow_list: ['@example.com'],
      },
    ],
  },
)
export type SafetyDraftInput = Static<typeof draft>

export const ContentSafetyInput = withCheck(draft, (input: SafetyDraftInput) => draftFaults(input, ''))

function draftFaults({ patterns = [] }: SafetyDraftInput, path: string): FieldFault[] {
  const seen = new Set<string>()
  return patterns.flatMap(({ name }, index) => {
    const isSecond = seen.has(name)
    seen.add(name)
    return isSecond
      ? [
          {
            field: `${path}patterns.${index}.name`,
            code: 'invalid_value',
            message: 'Another pattern already has this name.',
          } as const,
        ]
      : []
  })
}

export const ContentSafety = Type.Object(
  {
    detectors: Type.Object(
      perDetector(({ description }) => Type.Object({ mode, threshold }, { title: 'Detector', description })),
    ),
    patterns: Type.Array(Type.Object({ ...ownPattern, threshold }, { title: 'OwnPattern' })),
    allow_list: Type.Array(allowed),
    updated_at: Nullable({
      ...Timestamp,
      description: '`null` while no settings were ever saved; then everything is off.',
    }),
  },
  { title: 'ContentSafety', description: 'The content safety settings.' },
)
export type ContentSafety = Static<typeof ContentSafety>

const testInput = Type.Object(
  {
    input: SafetyInput,
    settings: Type.Optional({ ...draft, description: 'A draft to use instead of the saved settings.' }),
  },
  { title: 'ContentSafetyTestInput', examples: [{ input: 'Charge the card 4111 1111 1111 1111.' }] },
)
export const ContentSafetyTestInput = withCheck(testInput, ({ input, settings }: Static<typeof testInput>) => [
  ...safetyInputFaults(input),
  ...(settings ? draftFaults(settings, 'settings.') : []),
])

export const ContentSafetyTest = Type.Object(
  {
    findings: Type.Array(
      Type.Object({
        detector: Type.String({ examples: ['card_number'] }),
        mode,
        hits: { ...Count, description: 'The number of distinct hits.', examples: [1] },
        score: { ...Count, description: 'The score that is compared with the threshold.', examples: [1] },
        threshold,
        fires: Type.Boolean({ description: 'Whether the score reaches the threshold.' }),
        sample: Type.String({ description: 'An excerpt around the first hit.', examples: ['…card 4111 11…'] }),
      }),
    ),
    blocked_by: Nullable(Type.String({ description: 'The detector that would refuse a run.' })),
  },
  { title: 'ContentSafetyTest', description: 'The findings of the detectors.' },
)
