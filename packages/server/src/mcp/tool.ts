import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import type { Static, TObject, TProperties } from 'typebox'
import { ApiFault, type PageApi, type Schemas } from '../console/api/api.ts'
import type { Log } from '../platform/infra/log.ts'
import { asData, type Plain, phrase, word } from './phrases.ts'

/** The means with which a tool answers: the API as its caller may use it, and who that is. */
export interface ToolContext {
  readonly api: PageApi
  readonly me: Schemas['Me']
  readonly now: Date
  readonly log: Log
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal
}

/** Answer of a tool: data in the form of its schema, and the same in a few lines that a model reads well. */
interface ToolAnswer<Data> {
  readonly data: Data
  readonly lines: readonly Plain[]
}

interface ToolDefinition<Input extends TProperties, Output extends TProperties> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TObject<Input>
  readonly output: TObject<Output>
  /** True for a tool that asks people for a change; it makes none itself. */
  readonly isProposal?: true
  readonly answer: (context: ToolContext, asked: Static<TObject<Input>>) => Promise<ToolAnswer<Static<TObject<Output>>>>
}

/** A tool that can be offered on a server for one request. */
export interface Tool {
  readonly name: string
  readonly offer: (server: McpServer, context: ToolContext) => void
}

/** Defines a tool. Its schemas are compiled once; its result passes `asData` whatever it is. */
export function defineTool<const Input extends TProperties, const Output extends TProperties>(
  tool: ToolDefinition<Input, Output>,
): Tool {
  const inputSchema = fromJsonSchema<Static<TObject<Input>>>(plainSchema(tool.input))
  const outputSchema = fromJsonSchema<Record<string, unknown>>(plainSchema(tool.output))
  const isRead = tool.isProposal !== true
  const annotations = {
    title: tool.title,
    readOnlyHint: isRead,
    ...(!isRead && { destructiveHint: false, idempotentHint: true }),
    openWorldHint: false,
  }
  const { name, title, description } = tool
  return {
    name,
    offer: (server, context) =>
      server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (asked) => {
        try {
          const { data, lines } = await tool.answer(context, asked)
          return {
            content: [{ type: 'text', text: lines.map(({ text }) => text).join('\n') }],
            structuredContent: asData(data) as Record<string, unknown>,
          }
        } catch (error) {
          return failureOf(error, name, context)
        }
      }),
  }
}

/** Returns a schema as plain JSON, without what belongs to the library that made it. */
const plainSchema = (schema: object) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

const failed = (...lines: readonly Plain[]): CallToolResult => ({
  content: [{ type: 'text', text: lines.map(({ text }) => text).join('\n') }],
  isError: true,
})

/** Returns what a model is told when the API has refused; of a failure of ours, no more than that there was one. */
function failureOf(error: unknown, tool: string, { log, signal }: ToolContext): CallToolResult {
  if (!(error instanceof ApiFault)) {
    if (!signal.aborted) log.error({ tool, error }, 'a tool failed')
    return failed(phrase`Weir could not answer. Try again later.`)
  }
  const { status, code, details, fields } = error
  const required = details['required']
  const waitSeconds = details['retry_after_seconds']
  return failed(
    phrase`Weir refused this: ${status} ${word(code)}. Its message: ${error.message}`,
    ...(typeof required === 'string'
      ? [phrase`The key lacks the scope ${required}. A person with the role admin gives keys.`]
      : []),
    ...(typeof waitSeconds === 'number' ? [phrase`Wait ${waitSeconds} seconds before the next call.`] : []),
    ...fields.slice(0, 10).map(({ field, message }) => phrase`The field ${field}: ${message}`),
  )
}
