import type { ProviderConfig } from '../config-schema.ts'
import type { Edit } from '../values/json-text.ts'

/** A request, as far as it decides what the call can cost. */
export interface Asked {
  readonly model: string
  readonly stream: boolean
  /** Answers that are asked for at once; each may be as long as the maximum. */
  readonly choices: number
  /** Inputs that are processed apart, each of which may fill the context window; one where it is not said. */
  readonly inputs?: number
  /** Strings of base64 in the body, which are images and no text. */
  readonly media: ReadonlySet<string>
  readonly images: number
  /** Fields that point to content elsewhere: only the context window bounds it. */
  readonly references: readonly string[]
  /** The smallest maximum of output that the request names. */
  readonly maxOutput: number | undefined
  /** Fields in which it names one, or is to. */
  readonly outputFields: readonly string[]
  /** Output without which the provider would refuse the request. */
  readonly leastOutput: number
  /** Output that is billed beside what the maximum bounds. */
  readonly extraOutput: number
  /** Thinking of each answer that may be billed beside the maximum: tokens, or as many as the model can; none where it is not said. */
  readonly thinkingOutput?: number | 'model'
  readonly hasTools: boolean
  /** Prompts that the provider writes itself: for each tool that it defines, and for an answer in a given form. */
  readonly ownPrompts?: number
  /** Schemas, of tools and of the answer, which the provider writes into its prompt in a form of its own. */
  readonly schemas?: readonly unknown[]
  readonly serverTools: readonly ServerTool[]
  /** Fields that let the provider do work which nothing bounds and nothing prices. */
  readonly unpriced: readonly string[]
  /** Fields that are not known here, and so may change what the call costs. */
  readonly unknown: readonly string[]
  readonly serviceTier: 'flex' | 'priority' | undefined
  /** True when the stream is to say what it used because the caller asked, not only because the gateway does. */
  readonly wantsUsage: boolean
  /** True where no field of the request bounds its output: only the model does. */
  readonly isOutputOpen?: boolean
  /** True when the model may think for a while without showing it. */
  readonly hidesReasoning: boolean
}

/** An id of something that a provider keeps, and the field that names it. */
export interface StoredId {
  readonly id: string
  readonly field: string
}

/** A tool that the provider runs itself, with fees and input of its own. */
export interface ServerTool {
  readonly type: string
  /** The most uses, where the request names a number. */
  readonly uses: number | undefined
  /** Its position among the tools; undefined where it is asked for in another way. */
  readonly index: number | undefined
}

/** Usage of a call as the provider reports it, in the words of Weir: input with what was cached, output with reasoning. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly cache_creation_1h_input_tokens?: number
  readonly reasoning_output_tokens?: number
  readonly audio_input_tokens?: number
  readonly image_input_tokens?: number
  readonly video_input_tokens?: number
  readonly cache_read_audio_input_tokens?: number
  readonly cache_read_image_input_tokens?: number
  readonly audio_output_tokens?: number
  readonly image_output_tokens?: number
  readonly video_output_tokens?: number
  readonly units?: Readonly<Record<string, number>>
  readonly parts?: readonly UsagePart[]
  readonly service_tier?: 'standard' | 'flex' | 'priority' | 'batch'
}

/** Usage of another model for the same call. */
export interface UsagePart {
  readonly model: string
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

/** A reader of one answer. It changes nothing, and what it cannot read is counted, never thrown. */
export interface Meter {
  /** Reads one event of a stream. */
  event(data: string): void
  /** Reads a whole answer. */
  whole(body: unknown): void
  /** Returns the usage, once the answer has said all of it. */
  usage(): Usage | undefined
  /** Returns the usage that the answer has reported so far; its input is exact. */
  inputSoFar(): Partial<Usage> | undefined
  /** True when the answer has said that it is complete. */
  isComplete(): boolean
  /** Returns the model that has answered, as the provider names it; undefined where it has not said. */
  answeredBy?(): string | undefined
  /** Returns the ids under which the provider keeps parts of the answer, as far as they are new since the last call. */
  newIds?(): readonly string[]
  readonly unread: number
}

export interface Dialect {
  readonly name:
    | 'chat'
    | 'completions'
    | 'responses'
    | 'compaction'
    | 'embeddings'
    | 'messages'
    | 'bedrock'
    | 'vertex'
    | 'gemini'
    | 'gemini-embeddings'
  /** Kinds of providers that speak it. */
  readonly kinds: readonly ProviderConfig['kind'][]
  /** Reads what a request asks for; throws `RequestFault` where it cannot be bounded. */
  analyse(body: JsonObject, path: PathFacts): Asked
  /** The fields to change before the request is sent, with the output that was granted to each answer. */
  edits(asked: Asked, grantedOutput: number, provider: ProviderConfig, tools: readonly GrantedTool[]): Edit[]
  meter(asked: Asked): Meter
  /** True for an answer with the status 400 that refuses the key of a request, at providers that have no 401 for it. */
  refusesKey?(answer: unknown): boolean
  /** True for an event that is there only because the gateway asked for it. */
  isOurs?(asked: Asked, provider: ProviderConfig, data: string): boolean
  /** Ids of what the provider keeps of earlier answers, as a request names them: they are for those who made them. */
  stored?(body: JsonObject): readonly StoredId[]
  /** True for an event of a stream that shows what was generated, and not thinking. Without it none says so where thinking is hidden. */
  readonly shows?: (data: string) => boolean
  /** The text that a model has generated in an event of a stream. */
  generatedText(data: string): string
  /** Returns the request by which the provider itself counts the input, at no cost; undefined where it has none. */
  countRequest?(body: JsonObject): InputCountRequest | undefined
  /** Returns the conversation in a request; undefined where the length of a part of it says nothing of the whole, or may change. */
  conversation?(body: JsonObject): Conversation | undefined
  /** Returns the longest-lived cache that a request can write to, at providers that write to none unasked. */
  cacheCreation?(body: JsonObject, text: string): CacheCreation
  /** Texts for the detectors of unsafe content, newest first. */
  texts(body: JsonObject): string[]
}

/** Lifetimes of caches, in the words of Weir. */
export type CacheCreation = 'none' | '5m' | '1h'

/** A conversation, as far as it decides the length of the input. The messages that come later add to it, and change nothing before them. */
export interface Conversation {
  /** All that stands around the messages: the system prompt, tools, settings. */
  readonly frame: unknown
  readonly messages: readonly unknown[]
  /** True where an earlier request can have ended: after this many messages, before an answer. Two messages of one side may be read as one. */
  isTurn(end: number): boolean
}

/** Facts of a request that its path states, and not its body. */
export interface PathFacts {
  readonly model?: string
  readonly stream?: boolean
}

/** A request for the length of an input. */
export interface InputCountRequest {
  readonly path: string
  readonly body: JsonObject
  /** The field of the answer that has the length; `input_tokens` where it is not said. */
  readonly answerField?: string
}

/** A server tool as it was held: so many uses at most. */
export interface GrantedTool extends ServerTool {
  readonly granted: number
}

export type JsonObject = Readonly<Record<string, unknown>>
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

type FaultCode = 'invalid_request' | 'unbounded' | 'model_not_found' | 'not_found' | 'previous_response_not_found'

/** Thrown for a request that cannot be admitted whatever the limits are: what is wrong, and in which field. */
export class RequestFault extends Error {
  readonly code: FaultCode
  readonly field: string | undefined

  constructor(code: FaultCode, message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }
}
