import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { GuardOptions } from './fetch.ts'
import type { RunParameters, Weir } from './weir.ts'

export { refusalOf } from './refusal.ts'

/** Fields of the runs of tool calls. `model` names an entry of the organization's prices, with the fee of a call or none. */
export type ToolLabels = RunParameters & { readonly model: string }

/**
 * Returns a client of an MCP server of which every call of a tool is a run with the tool's name as its `action`: rules and approvals decide
 * about it, limits count it, and a refusal reaches no tool.
 */
export function guardTools<Tools extends Pick<Client, 'callTool'>>(
  client: Tools,
  weir: Weir,
  labels: ToolLabels | ((tool: string) => ToolLabels),
  options: Pick<GuardOptions, 'onUnavailable'> = {},
): Tools {
  const callTool: Client['callTool'] = async (params, schema, settings) => {
    const own = typeof labels === 'function' ? labels(params.name) : labels
    const asked = { action: params.name, input_tokens: 0, max_output_tokens: 0, ...own }
    const { signal } = settings ?? {}
    return weir.run(
      asked,
      async (run) => {
        const result = await client.callTool(params, schema, { ...settings, signal: run.signal })
        // A tool uses no tokens: it costs the fee of its price, even where it reports a failure.
        run.report({ input_tokens: 0, output_tokens: 0 })
        return result
      },
      { ...options, signal },
    )
  }
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'callTool') return callTool
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
