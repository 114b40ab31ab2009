import type { Usage } from '../dialects/dialect.ts'
import type { Admission } from './admission.ts'
import { totalOutput } from './bound.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { ratedModel } from './learned-rates.ts'

/** An answer that was not finished, as far as it came. */
export interface Unfinished {
  /** Usage that the provider has reported already; its input is exact. */
  readonly said: Partial<Usage> | undefined
  /** Bytes of the events so far; cut off where they are too many. */
  readonly chunks: readonly Buffer[]
  readonly isCutOff: boolean
  /** True for a stream of events, whose text can be counted. */
  readonly isStream: boolean
  /** Time since the request was sent, and since the last byte came. */
  readonly seconds: number
  /** The part of it in which the answer showed what was generated. */
  readonly shownSeconds: number
  readonly silentSeconds: number
}

/** Requests up to this length are counted again when their answer is not finished; for longer ones their bound is charged. */
const countedCharacters = 1_048_576
/** Models are at times quicker than they were seen to be, and nothing else tells how much of an answer is hidden. */
export const hiddenMargin = 1.3
/** Tokens that a provider adds around a short prompt beyond those of its JSON. */
const framingTokens = 32
/** The time for which a provider goes on before it hears that its caller is gone. */
const unheardSeconds = 0.1

/**
 * Judges what an unfinished answer was billed: what it has shown, counted in a thread of its own, and what can have been generated unseen in
 * the time. Rather too much, but never more than was held.
 */
export async function judge(
  parts: GatewayParts,
  call: IncomingCall,
  admission: Admission,
  seen: Unfinished,
): Promise<Usage> {
  const { counter, rates } = parts
  const rated = ratedModel(admission)
  const { bound } = admission
  const exactInput = seen.said?.input_tokens
  const text = call.body.text
  const mayCount =
    exactInput === undefined &&
    text.length <= countedCharacters &&
    isPlain(text) &&
    bound.kind === 'hard' &&
    call.asked.images === 0 &&
    call.asked.references.length === 0
  const counts = await counter.count(call.dialect.name, mayCount ? text : undefined, seen.chunks)
  const input =
    exactInput ??
    (counts?.input === undefined
      ? bound.inputTokens
      : Math.ceil(counts.input * rates.ratioOf(rated, 'input')) + framingTokens)
  const perSecond = rates.tokensPerSecond(rated) * call.asked.choices
  // An answer in one piece that does not say what it used can have used all that was held.
  const isUncounted = counts === undefined || seen.isCutOff || (!seen.isStream && seen.chunks.length > 0)
  const shown = isUncounted ? Number.POSITIVE_INFINITY : Math.ceil(counts.output * rates.ratioOf(rated, 'output'))
  const isHidden = hidesReasoning(call, admission)
  const unseen = perSecond * (unheardSeconds + (isHidden ? 0 : seen.silentSeconds))
  const hiddenSeconds = isHidden ? seen.seconds - seen.shownSeconds : seen.chunks.length === 0 ? seen.seconds : 0
  const output = shown + unseen + perSecond * hiddenMargin * hiddenSeconds
  const held = totalOutput(bound, admission.grantedOutput)
  return {
    // How often the provider's tools were used is said at the end: all that were held may have been.
    ...(Object.keys(bound.units).length > 0 && { units: bound.units }),
    ...seen.said,
    input_tokens: Math.min(input, Math.max(bound.inputTokens, exactInput ?? 0)),
    output_tokens: Math.min(held, Math.max(seen.said?.output_tokens ?? 0, Math.ceil(output))),
  }
}

/** True for a call whose model may think unseen: by its request, or by its name, whatever name the caller had for it. */
export const hidesReasoning = ({ asked }: IncomingCall, { model }: Admission): boolean =>
  asked.hidesReasoning || /(^|\/)(o\d|gpt-[5-9]|grok-[4-9]|gemini-(2\.5|[3-9]))/.test(model.name)

/** True for text of which a public vocabulary says about as much as any other: nearly all of it is ASCII. */
const isPlain = (text: string) => Buffer.byteLength(text) - text.length <= text.length / 50
