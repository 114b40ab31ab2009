import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import type { BaseMessage } from '@langchain/core/messages'
import type { LLMResult } from '@langchain/core/outputs'
import { estimate } from './asked.ts'
import { type GuardOptions, labelsIn, type RunLabels } from './fetch.ts'
import { countAt, isObject } from './objects.ts'
import type { Run } from './run.ts'
import { type Usage, usageOf } from './usage.ts'
import type { Weir } from './weir.ts'

export { refusalOf } from './refusal.ts'

/**
 * Callbacks of LangChain that make each call of a model a run under all limits: `new ChatOpenAI({ callbacks: [new WeirCallbacks(weir)] })`.
 * Callbacks cannot stop a call and are not told of every stream that is given up: so a lease is not extended, and the run of a stream
 * that is not read to its end is charged what was reserved when its lease ends.
 */
export class WeirCallbacks extends BaseCallbackHandler {
  override readonly name = 'WeirCallbacks'
  /** A refusal ends the call before the provider is asked. */
  override raiseError = true
  override awaitHandlers = true
  readonly #weir: Weir
  readonly #labels: RunLabels
  readonly #options: Pick<GuardOptions, 'onUnavailable'>
  readonly #runs = new Map<string, Run>()

  constructor(weir: Weir, labels: RunLabels = {}, options: Pick<GuardOptions, 'onUnavailable'> = {}) {
    super()
    this.#weir = weir
    this.#labels = labels
    this.#options = options
  }

  override async handleChatModelStart(
    _model: Serialized,
    messages: BaseMessage[][],
    runId: string,
    _parentRunId?: string,
    extra?: Record<string, unknown>,
  ): Promise<void> {
    await this.#start(runId, JSON.stringify(messages), extra)
  }

  override async handleLLMStart(
    _model: Serialized,
    prompts: string[],
    runId: string,
    _parentRunId?: string,
    extra?: Record<string, unknown>,
  ): Promise<void> {
    await this.#start(runId, JSON.stringify(prompts), extra)
  }

  override async handleLLMEnd(output: LLMResult, runId: string): Promise<void> {
    const run = this.#taken(runId)
    const usage = usageIn(output)
    if (usage) run?.report(usage)
    await run?.finish()
  }

  override async handleLLMError(error: unknown, runId: string): Promise<void> {
    await this.#taken(runId)?.fail(error)
  }

  async #start(runId: string, input: string, extra: Record<string, unknown> = {}) {
    const asked = isObject(extra['invocation_params']) ? extra['invocation_params'] : {}
    const most =
      countAt(asked, 'max_completion_tokens') ??
      countAt(asked, 'max_output_tokens') ??
      countAt(asked, 'max_tokens') ??
      countAt(asked, 'maxOutputTokens')
    const answers = countAt(asked, 'n') ?? 1
    const parameters = {
      ...(typeof asked['model'] === 'string' && { model: asked['model'] }),
      input_tokens: estimate(input + JSON.stringify(asked['tools'] ?? '')),
      ...(most !== undefined && { max_output_tokens: most * answers }),
    }
    this.#runs.set(
      runId,
      await this.#weir.start({ ...parameters, ...labelsIn(this.#labels) }, { ...this.#options, keepsLease: false }),
    )
  }

  #taken(runId: string): Run | undefined {
    const run = this.#runs.get(runId)
    this.#runs.delete(runId)
    return run
  }
}

/** Adds up what the answers of a call used: as the provider said it, else as LangChain has it. */
function usageIn({ generations, llmOutput }: LLMResult): Usage | undefined {
  const [first] = generations.flat()
  const message = isObject(first) ? first['message'] : undefined
  const response = isObject(message) ? message['response_metadata'] : undefined
  const raw = isObject(response) ? (usageOf(response['usage']) ?? usageOf(response['usageMetadata'])) : undefined
  const said = isObject(message) ? message['usage_metadata'] : undefined
  return raw ?? (isObject(said) ? normalized(said) : usageOf(isObject(llmOutput) ? llmOutput['usage'] : undefined))
}

function normalized(said: Readonly<Record<string, unknown>>): Usage | undefined {
  const input = countAt(said, 'input_tokens')
  const output = countAt(said, 'output_tokens')
  if (input === undefined || output === undefined) return undefined
  const given = said['input_token_details']
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: Math.min(countAt(given, 'cache_read') ?? 0, input),
    cache_creation_input_tokens: Math.min(countAt(given, 'cache_creation') ?? 0, input),
    reasoning_output_tokens: Math.min(countAt(said['output_token_details'], 'reasoning') ?? 0, output),
  }
}
