import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { guardTools } from '../src/mcp.ts'
import { clientOf, endedRuns, ownerOf, useSite } from './support/site.ts'

const site = useSite()
const called: string[] = []
const client = new Client({ name: 'agent', version: '1' })
const server = new McpServer({ name: 'tools', version: '1' })
for (const name of ['refund', 'look_up'])
  server.registerTool(name, { inputSchema: { order: z.string() } }, ({ order }) => {
    called.push(`${name} ${order}`)
    return { content: [{ type: 'text', text: 'done' }] }
  })

beforeAll(async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  const owner = ownerOf(site)
  const path = { id: site.orgId }
  await owner.request('POST', '/v1/orgs/{id}/prices', {
    path,
    body: { model: 'tools', input_usd_per_million: '0', output_usd_per_million: '0', units_usd: { request: '0.002' } },
  })
  await owner.request('POST', '/v1/orgs/{id}/policies', {
    path,
    body: {
      name: 'No refunds',
      effect: 'block',
      target: 'action',
      priority: 1,
      expression: 'run.action == "refund"',
      reason: 'Refunds are for people.',
    },
  })
})
afterAll(async () => {
  await client.close()
  await server.close()
})

test('a call of a tool is a run with the tool as its action, at the fee of its price', async () => {
  const tools = guardTools(client, clientOf(site).weir, { model: 'tools', workflow_id: 'tools' })
  expect(await tools.callTool({ name: 'look_up', arguments: { order: '7' } })).toMatchObject({
    content: [{ text: 'done' }],
  })
  expect(await endedRuns(site, 'tools')).toMatchObject([{ action: 'look_up', status: 'succeeded', cost_usd: '0.002' }])
  expect((await tools.listTools()).tools.map(({ name }) => name)).toEqual(['refund', 'look_up'])
})

test('a tool that a rule blocks is not called', async () => {
  const tools = guardTools(client, clientOf(site).weir, { model: 'tools' })
  const call = tools.callTool({ name: 'refund', arguments: { order: '8' } })
  await expect(call).rejects.toMatchObject({ code: 'policy_blocked', details: { reason: 'Refunds are for people.' } })
  expect(called).toEqual(['look_up 7'])
})
