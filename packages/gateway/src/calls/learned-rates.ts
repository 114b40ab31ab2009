/** A model at one provider: another provider may serve the same one at another pace. */
export interface RatedModel {
  readonly provider: string
  readonly model: string
}

/** The model of a call at its provider. */
export const ratedModel = ({
  upstream,
  model,
}: Readonly<Record<'upstream' | 'model', { readonly name: string }>>): RatedModel => ({
  provider: upstream.name,
  model: model.name,
})

/** One complete answer: what was billed, what was counted in a thread of its own, and how long it took. */
export interface Lesson {
  readonly billedInput: number
  readonly billedOutput: number
  /** The part of the output that was shown; undefined where the answer does not say. */
  readonly shownOutput?: number | undefined
  readonly countedInput?: number
  readonly countedOutput?: number
  /** Pieces of the answer that showed what was generated, and the seconds from the first to the last. */
  readonly pieces: number
  readonly shownSeconds: number
  /** The seconds from the first byte of the answer to its last. */
  readonly seconds: number
}

/** Figures learned from complete answers of each model, by which one that was not finished is judged. All are rather too high. */
export class LearnedRates {
  readonly #models = new Map<string, Rates>()

  learn(model: RatedModel, lesson: Lesson) {
    const {
      billedInput,
      billedOutput,
      shownOutput = billedOutput,
      countedInput = 0,
      countedOutput = 0,
      pieces,
    } = lesson
    const rates = this.#of(model)
    if (countedInput >= 20) rates.input.add(billedInput / countedInput)
    if (countedOutput >= 20) rates.output.add(billedOutput / countedOutput)
    if (pieces >= 10) rates.perPiece.add(shownOutput / pieces)
    const perSecond = Math.max(pace(billedOutput, lesson.seconds), shownPace(lesson))
    if (perSecond > 0) rates.perSecond.add(perSecond)
  }

  /** Returns how many tokens are billed for each one that is counted. */
  ratioOf(rated: RatedModel, direction: 'input' | 'output'): number {
    // Never below one: a caller could teach a low ratio with answers of one kind, and then hang up on others.
    return Math.max(1, this.#of(rated)[direction].high(defaultRatio(rated.model), 0.99))
  }

  /** Returns how many tokens a second a model can generate: close to a physical bound. */
  tokensPerSecond(rated: RatedModel): number {
    // Nor much less than models say: a caller could teach that with long prompts, short answers and slow tiers.
    return Math.max(leastTokensPerSecond, this.#of(rated).perSecond.high(defaultTokensPerSecond, 1))
  }

  tokensPerPiece(rated: RatedModel): number {
    return this.#of(rated).perPiece.high(defaultTokensPerPiece, 0.99)
  }

  /** True while more complete answers should be counted for the sake of the ratios; it must not keep a processor busy. */
  wantsCount(rated: RatedModel, nowMs: number): boolean {
    const rates = this.#of(rated)
    if (rates.counts >= enough && nowMs - rates.countedAtMs < countEveryMs) return false
    rates.counts += 1
    rates.countedAtMs = nowMs
    return true
  }

  #of({ provider, model }: RatedModel): Rates {
    const name = `${provider}\n${model}`
    let rates = this.#models.get(name)
    if (rates === undefined) {
      if (this.#models.size >= mostModels) this.#models.clear()
      const [input, output, perPiece, perSecond] = [new Samples(), new Samples(), new Samples(), new Samples()]
      rates = { input, output, perPiece, perSecond, counts: 0, countedAtMs: 0 }
      this.#models.set(name, rates)
    }
    return rates
  }
}

interface Rates extends Readonly<Record<'input' | 'output' | 'perPiece' | 'perSecond', Samples>> {
  /** Answers that were counted, or are about to be. */
  counts: number
  countedAtMs: number
}

/** Shorter answers say nothing of a pace. */
const leastTokens = 50
const leastSeconds = 0.2

const pace = (tokens: number, seconds: number) =>
  tokens >= leastTokens && seconds > leastSeconds ? tokens / seconds : 0

/** The pace of what was shown. The first piece is when the time begins, so its tokens took none of it. */
function shownPace({ shownOutput = 0, pieces, shownSeconds }: Lesson): number {
  return pieces < 10 ? 0 : pace((shownOutput * (pieces - 1)) / pieces, shownSeconds)
}

const defaultTokensPerPiece = 8
const mostModels = 1_000
const defaultTokensPerSecond = 200
/** With the margin for what is hidden, as quick as most models are. */
const leastTokensPerSecond = 100
const defaultRatio = (model: string) => (/(^|\/)(gpt-|o\d)/.test(model) ? 1.1 : 1.5)

const kept = 200
const enough = 20
/** After the first ones, an answer is counted in so much time. */
const countEveryMs = 5_000

/** The last values of something. */
class Samples {
  readonly #values: number[] = []

  add(value: number) {
    this.#values.push(value)
    if (this.#values.length > kept) this.#values.shift()
  }

  /** A value that so many of all are not above; a default until there are enough. */
  high(byDefault: number, share: number): number {
    const seen = this.#values.toSorted((a, b) => a - b)
    const high = seen[Math.min(seen.length - 1, Math.floor(seen.length * share))]
    if (high === undefined) return byDefault
    return seen.length < enough ? Math.max(high, byDefault) : high
  }
}
