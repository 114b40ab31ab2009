import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
}

/** Connects the official client with a key; `auto` speaks the newest revision of the protocol, `legacy` those of 2025. */
export async function connectMcp(url: string, key: string, mode: 'auto' | 'legacy' = 'auto') {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  return {
    client,
    use: async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> => {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args })
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
      return { isError, text, data: (structuredContent ?? {}) as Record<string, unknown> }
    },
  }
}

export type McpConnection = Awaited<ReturnType<typeof connectMcp>>

/** Sends a message as it is, past any client. */
export const sendMessage = (
  url: string,
  key: string | undefined,
  message: unknown,
  headers: Record<string, string> = {},
) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })

/** A call of a tool as a client of 2025 sends it. */
export const toolCall = (name: string, args: unknown = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
