import { answerOutput, boundOf, totalOutput } from '../../src/calls/bound.ts'
import { parseBody } from '../../src/calls/request-body.ts'
import type { GatewayConfig } from '../../src/config-schema.ts'
import { type Asked, RequestFault } from '../../src/dialects/dialect.ts'
import { dialectNamed } from '../../src/dialects/dialects.ts'
import { createModels } from '../../src/models/models.ts'
import { applyEdits, type Edit } from '../../src/values/json-text.ts'
import { Random } from '../support/random.ts'
import { billOf } from './bill.ts'
import { type GeneratedRequest, generateRequest } from './requests.ts'

/**
 * A hunt for requests whose hard bound is too small: each is bounded, granted and edited as the gateway does it, and then billed by a reader
 * of its own that sees nothing but the request as sent.
 */

const credential = { none: true } as const
const config: GatewayConfig = {
  weir: { url: 'http://127.0.0.1:1' },
  providers: {
    openai: { kind: 'openai', base_url: 'http://127.0.0.1:1', credential },
    anthropic: { kind: 'anthropic', base_url: 'http://127.0.0.1:1', credential },
    gemini: { kind: 'gemini', base_url: 'http://127.0.0.1:1', credential },
  },
  models: [
    { prefix: 'claude-', provider: 'anthropic' },
    { prefix: 'gemini-', provider: 'gemini' },
    { prefix: '', provider: 'openai' },
  ],
}
const models = createModels(config)

/** A fault of the gateway, planted to see that the hunt finds it. */
export interface Plant {
  readonly normalises?: false
  readonly asked?: (asked: Asked) => Asked
  readonly edits?: (edits: readonly Edit[]) => readonly Edit[]
}

export const plants: Readonly<Record<string, Plant>> = {
  'bytes before normalisation': { normalises: false },
  'images for nothing': { asked: (asked) => ({ ...asked, images: 0 }) },
  'one answer where many are asked for': { asked: (asked) => ({ ...asked, choices: 1 }) },
  'tools without a prompt of the provider': { asked: (asked) => ({ ...asked, hasTools: false }) },
  'a maximum that is not sent': { edits: (edits) => edits.filter(({ path: [field] }) => !field.startsWith('max_')) },
  'thinking for nothing': { asked: (asked) => ({ ...asked, thinkingOutput: 0 }) },
  'predictions for nothing': { asked: (asked) => ({ ...asked, extraOutput: 0 }) },
}

export type Finding =
  | { readonly kind: 'refused' | 'soft' }
  | { readonly kind: 'hard'; readonly held: number; readonly most: number; readonly overrun: string | undefined }

export function judge(
  { dialect: name, text, model: ofPath }: GeneratedRequest,
  random: Random,
  plant: Plant = {},
): Finding {
  try {
    const dialect = dialectNamed(name)
    const body = parseBody(Buffer.from(text))
    const read = dialect.analyse(body.value, ofPath === undefined ? {} : { model: ofPath })
    const asked = plant.asked?.(read) ?? read
    const model = models.find(asked.model)!
    const provider = {
      ...config.providers[model.providers[0]!]!,
      ...(plant.normalises === false && { normalises: false }),
    }
    const bound = boundOf({ asked, text: body.text, body: body.value, model, provider, config })
    if (bound.kind !== 'hard') return { kind: 'soft' }
    // Weir grants all of the output, or as much of it as fits.
    const [least, most] = [bound.leastOutput, bound.outputTokens].map((each) => totalOutput(bound, each)) as [
      number,
      number,
    ]
    const granted = random.chance(0.5) ? most : random.between(least, most)
    const each = Math.min(bound.outputTokens, answerOutput(bound, granted))
    const edits = dialect.edits(asked, each, provider, bound.tools)
    const sent = applyEdits(body.text, plant.edits?.(edits) ?? edits, body.structure)
    const bill = billOf(name, sent, model.name, bound.inputTokens)
    const window = (model.contextTokens ?? Number.POSITIVE_INFINITY) * (read.inputs ?? 1)
    const input = Math.min(window, Math.max(...Object.values(bill.input)))
    const over = Object.entries(bill.input).find(([, tokens]) => Math.min(window, tokens) > bound.inputTokens)
    const overrun =
      over !== undefined
        ? `input: ${over[1]} tokens by ${over[0]}, ${bound.inputTokens} are held`
        : bill.output > granted
          ? `output: ${bill.output} tokens, ${granted} are held`
          : undefined
    return { kind: 'hard', held: bound.inputTokens, most: input, overrun }
  } catch (error) {
    if (error instanceof RequestFault) return { kind: 'refused' }
    throw error
  }
}

export interface Hunt {
  readonly hard: number
  readonly soft: number
  readonly refused: number
  readonly byDialect: Readonly<Record<string, number>>
  /** The largest share of a held input that a bill came to. */
  readonly closest: number
  readonly overruns: readonly {
    readonly seed: number
    readonly dialect: string
    readonly text: string
    readonly why: string
  }[]
}

const keptOverruns = 20

/** Hunts among requests with the seeds from `first` on; each can be made again by its seed alone. */
export function hunt(first: number, count: number, plant: Plant = {}, isEnough = () => false): Hunt {
  const counts = { hard: 0, soft: 0, refused: 0 }
  const byDialect: Record<string, number> = {}
  const overruns: Hunt['overruns'][number][] = []
  let closest = 0
  for (let seed = first; seed < first + count && overruns.length < keptOverruns && !isEnough(); seed += 1) {
    const random = new Random(seed)
    const request = generateRequest(random)
    const finding = judge(request, random, plant)
    counts[finding.kind] += 1
    if (finding.kind !== 'hard') continue
    byDialect[request.dialect] = (byDialect[request.dialect] ?? 0) + 1
    closest = Math.max(closest, finding.most / finding.held)
    if (finding.overrun !== undefined)
      overruns.push({ seed, dialect: request.dialect, text: request.text, why: finding.overrun })
  }
  return { ...counts, byDialect, closest, overruns }
}
