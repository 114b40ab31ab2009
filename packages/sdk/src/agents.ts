import type { Model, ModelProvider, ModelRequest, ModelResponse } from '@openai/agents-core'
import { estimate } from './asked.ts'
import { type GuardOptions, labelsIn, type RunLabels } from './fetch.ts'
import { countAt, isObject } from './objects.ts'
import type { Run } from './run.ts'
import { type Usage, usageOf } from './usage.ts'
import type { Weir } from './weir.ts'

export { refusalOf } from './refusal.ts'

type StreamEvent = ReturnType<Model['getStreamedResponse']> extends AsyncIterable<infer Event> ? Event : never

/** Returns a provider of models for `@openai/agents`, of which each call is a run under all limits: `new Runner({ modelProvider })`. */
export function guardModels(
  provider: ModelProvider,
  weir: Weir,
  labels: RunLabels = {},
  options: Pick<GuardOptions, 'onUnavailable'> = {},
): ModelProvider {
  return {
    getModel: async (name) => new GuardedModel(await provider.getModel(name), name, weir, labels, options),
  }
}

class GuardedModel implements Model {
  readonly #model: Model
  readonly #name: string | undefined
  readonly #weir: Weir
  readonly #labels: RunLabels
  readonly #options: Pick<GuardOptions, 'onUnavailable'>
  readonly getRetryAdvice: NonNullable<Model['getRetryAdvice']>
  readonly supportsPromptModelSelection?: boolean

  constructor(
    model: Model,
    name: string | undefined,
    weir: Weir,
    labels: RunLabels,
    options: Pick<GuardOptions, 'onUnavailable'>,
  ) {
    this.#model = model
    this.#name = name
    this.#weir = weir
    this.#labels = labels
    this.#options = options
    this.getRetryAdvice = (asked) => model.getRetryAdvice?.(asked)
    if (model.supportsPromptModelSelection !== undefined)
      this.supportsPromptModelSelection = model.supportsPromptModelSelection
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const run = await this.#start(request)
    try {
      const response = await this.#model.getResponse({ ...request, signal: run.signal })
      report(run, response)
      await run.finish()
      return response
    } catch (error) {
      await run.fail(error)
      throw error
    }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const run = await this.#start(request)
    let failure: unknown = new Error('the answer was not read to its end')
    let isMeasured = false
    try {
      for await (const event of this.#model.getStreamedResponse({ ...request, signal: run.signal })) {
        if (event.type === 'response_done') isMeasured = report(run, event.response)
        yield event
      }
    } catch (error) {
      failure = error
      throw error
    } finally {
      await (isMeasured ? run.finish() : run.fail(failure))
    }
  }

  #start(request: ModelRequest): Promise<Run> {
    const { input, systemInstructions, tools, modelSettings, outputType, signal } = request
    const most = modelSettings.maxTokens
    const parameters = {
      ...(this.#name !== undefined && { model: this.#name }),
      input_tokens: estimate(JSON.stringify([input, systemInstructions, tools, outputType])),
      ...(typeof most === 'number' && { max_output_tokens: most }),
    }
    return this.#weir.start({ ...parameters, ...labelsIn(this.#labels) }, { ...this.#options, signal })
  }
}

/** Reports what a call used, as the provider said it, else as the agents' SDK has it; false where nobody said it. */
function report(run: Run, { usage, rawUsage }: { readonly usage: unknown; readonly rawUsage?: unknown }): boolean {
  const used = usageOf(rawUsage) ?? normalized(usage)
  if (used) run.report(used)
  return used !== undefined
}

function normalized(said: unknown): Usage | undefined {
  const input = countAt(said, 'inputTokens')
  const output = countAt(said, 'outputTokens')
  // It says zero where the provider said nothing.
  if (!isObject(said) || input === undefined || output === undefined || input + output === 0) return undefined
  const sum = (details: unknown, field: string) =>
    [details].flat().reduce<number>((total, one) => total + (countAt(one, field) ?? 0), 0)
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: Math.min(sum(said['inputTokensDetails'], 'cached_tokens'), input),
    reasoning_output_tokens: Math.min(sum(said['outputTokensDetails'], 'reasoning_tokens'), output),
  }
}
