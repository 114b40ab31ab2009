import { beforeAll, expect, test } from 'vitest'
import { readGuide, runCommands } from '../support/guide.ts'
import { connectMcp } from '../support/mcp.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney()
const guide = readGuide('mcp')
let org: MoneyOrg
beforeAll(async () => {
  org = await money.org()
})

test('the guide to MCP, run as it stands: an agent asks about its limits, and proposes more', async () => {
  const variables = { WEIR: money.server.url, ORG: org.id, KEY: org.key }
  const printed = await runCommands(guide.blocks.join('\n'), variables)
  expect(printed).toMatch(
    /^You are key_\w+ with the role service\. 0 limits bind you\.\nNothing has changed yet\. The proposal prp_\w+ of \$20\.00 a month for "Triage" is pending/,
  )
  const { data } = (await org.ask('GET', '/proposals?status=pending')).json as { data: { limit_usd: string }[] }
  expect(data).toMatchObject([{ limit_usd: '20', limit_before_usd: '10' }])
})

test('its table names every tool', async () => {
  const { client } = await connectMcp(money.server.url, org.key)
  const { tools } = await client.listTools()
  const named = [...guide.text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set(tools.map(({ name }) => name)))
})
