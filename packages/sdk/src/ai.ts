import { estimate } from './asked.ts'
import { type GuardOptions, labelsIn, type RunLabels } from './fetch.ts'
import type { Run } from './run.ts'
import { type Usage, usageOf } from './usage.ts'
import type { Weir } from './weir.ts'

export { refusalOf } from './refusal.ts'

/** Usage as specifications 3 and 4 have it, with what the provider said. */
interface ProviderUsage {
  readonly inputTokens: {
    readonly total: number | undefined
    readonly cacheRead: number | undefined
    readonly cacheWrite: number | undefined
  }
  readonly outputTokens: { readonly total: number | undefined; readonly reasoning: number | undefined }
  readonly raw?: unknown
}
interface CallOptions {
  readonly prompt: unknown
  readonly tools?: unknown
  readonly maxOutputTokens?: number | undefined
  readonly abortSignal?: AbortSignal | undefined
}
interface StreamPart {
  readonly type: string
}

/** Middleware as `wrapLanguageModel` of the AI SDK takes it, by the part of it that specifications 3 and 4 have in common. */
export interface WeirMiddleware<Version extends 'v3' | 'v4'> {
  readonly specificationVersion: Version
  wrapGenerate<Params extends CallOptions, Result extends { readonly usage: ProviderUsage }>(call: {
    model: { readonly modelId: string; doGenerate(params: Params): PromiseLike<Result> }
    params: Params
  }): Promise<Result>
  wrapStream<
    Params extends CallOptions,
    Part extends StreamPart,
    Result extends { readonly stream: ReadableStream<Part> },
  >(call: {
    model: {
      readonly modelId: string
      doStream(params: Params): PromiseLike<Result & { readonly stream: ReadableStream<Part> }>
    }
    params: Params
  }): Promise<Result>
}

type Options = Pick<GuardOptions, 'onUnavailable'>

/** Middleware for models of provider specification 4 (AI SDK 7): each call of a model is a run under all limits. */
export const weirMiddleware = (weir: Weir, labels: RunLabels = {}, options: Options = {}): WeirMiddleware<'v4'> =>
  middleware('v4', weir, labels, options)

/** The same for models of provider specification 3 (AI SDK 6). */
export const weirMiddlewareV3 = (weir: Weir, labels: RunLabels = {}, options: Options = {}): WeirMiddleware<'v3'> =>
  middleware('v3', weir, labels, options)

const middleware = <Version extends 'v3' | 'v4'>(
  specificationVersion: Version,
  weir: Weir,
  labels: RunLabels,
  options: Options,
): WeirMiddleware<Version> => ({
  specificationVersion,
  wrapGenerate: ({ model, params }) =>
    generate(weir, model.modelId, params, labels, options, (abortSignal) =>
      model.doGenerate({ ...params, abortSignal }),
    ),
  wrapStream: ({ model, params }) =>
    stream(weir, model.modelId, params, labels, options, (abortSignal) => model.doStream({ ...params, abortSignal })),
})

function start(weir: Weir, model: string, params: CallOptions, labels: RunLabels, options: Options): Promise<Run> {
  const asked = {
    model,
    input_tokens: estimate(JSON.stringify([params.prompt, params.tools])),
    ...(params.maxOutputTokens !== undefined && { max_output_tokens: params.maxOutputTokens }),
  }
  return weir.start({ ...asked, ...labelsIn(labels) }, { ...options, signal: params.abortSignal })
}

async function generate<Result extends { readonly usage: ProviderUsage }>(
  weir: Weir,
  model: string,
  params: CallOptions,
  labels: RunLabels,
  options: Options,
  call: (signal: AbortSignal) => PromiseLike<Result>,
): Promise<Result> {
  const run = await start(weir, model, params, labels, options)
  try {
    const result = await call(run.signal)
    report(run, result.usage)
    await run.finish()
    return result
  } catch (error) {
    await run.fail(error)
    throw error
  }
}

async function stream<Part extends StreamPart, Result extends { readonly stream: ReadableStream<Part> }>(
  weir: Weir,
  model: string,
  params: CallOptions,
  labels: RunLabels,
  options: Options,
  call: (signal: AbortSignal) => PromiseLike<Result>,
): Promise<Result> {
  const run = await start(weir, model, params, labels, options)
  try {
    const result = await call(run.signal)
    return { ...result, stream: metered(run, result.stream) }
  } catch (error) {
    await run.fail(error)
    throw error
  }
}

/** Passes the parts of a stream on, and ends its run when it ends, breaks or is given up. */
function metered<Part extends StreamPart>(run: Run, parts: ReadableStream<Part>): ReadableStream<Part> {
  const reader = parts.getReader()
  let isMeasured = false
  const end = (error?: unknown) => (isMeasured ? run.finish() : run.fail(error))
  return new ReadableStream<Part>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          await end(new Error('the answer ended without its usage'))
          controller.close()
          return
        }
        const usage = usageIn(value)
        if (usage) isMeasured = report(run, usage)
        controller.enqueue(value)
      } catch (error) {
        await end(error)
        controller.error(error)
      }
    },
    async cancel(reason) {
      await reader.cancel(reason)
      await end(reason ?? new Error('the answer was not read to its end'))
    },
  })
}

const usageIn = (part: StreamPart & { readonly usage?: ProviderUsage }): ProviderUsage | undefined =>
  part.type === 'finish' ? part.usage : undefined

/** Reports what a call used; false where the provider did not say it. */
function report(run: Run, said: ProviderUsage): boolean {
  const usage = usageOf(said.raw) ?? normalized(said)
  if (usage) run.report(usage)
  return usage !== undefined
}

function normalized({ inputTokens, outputTokens }: ProviderUsage): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  const [input = 0, output = 0] = [inputTokens.total, outputTokens.total]
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: Math.min(inputTokens.cacheRead ?? 0, input),
    cache_creation_input_tokens: Math.min(inputTokens.cacheWrite ?? 0, input),
    reasoning_output_tokens: Math.min(outputTokens.reasoning ?? 0, output),
  }
}
