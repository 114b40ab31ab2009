import { beforeAll, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
const hostile = '<img src=x onerror=alert(1)>'
let org: MoneyOrg
let owner: ConsoleVisitor
let rootId: string
let childId: string

const start = async (body: Record<string, unknown>) => {
  const { json, status, text } = await org.post('/v1/runs', body)
  if (status !== 201) throw new Error(`run: ${status} ${text}`)
  return json as { id: string; decision_id: string }
}

beforeAll(async () => {
  org = await money.org()
  await org.budget('100', { name: hostile })
  await org.set('PUT', '/chain-limits', { default: { max_cost_usd: '1', max_depth: 2 } })
  owner = await visitWithKey(money.server.url, org.key)
  const asked = { model: 'claude-sonnet-4-6', chain_id: 'ticket 1/2', input_tokens: 22_140, max_output_tokens: 16_000 }
  rootId = (await start({ ...asked, operation: hostile, workflow_id: 'triage' })).id
  childId = (await start({ ...asked, operation: 'draft', parent_run_id: rootId })).id
  await org.post(`/v1/runs/${rootId}/finish`, {
    status: 'succeeded',
    input_tokens: 22_140,
    cache_read_input_tokens: 14_200,
    cache_creation_input_tokens: 3_800,
    output_tokens: 3_860,
    reasoning_output_tokens: 2_110,
  })
})

test('the list shows runs with state and cost, hostile names as text, and only those that are asked for', async () => {
  const { text, html } = await owner.openConsole('/console/runs')
  expect(text).toContain(hostile)
  expect(html).not.toContain('<img')
  expect(text).toMatch(/draft .*Running .*\$0\.3728 held/)
  expect(text).toMatch(/Succeeded triage .*\$0\.0888/)
  const { text: running } = await owner.openConsole('/console/runs?status=running')
  expect(running).toContain('draft')
  expect(running).not.toContain('Succeeded triage')
  expect((await owner.openConsole('/console/runs?workflow_id=another')).text).toContain('No run matches')
})

test('a filter that the API refuses is said in the list, and the form stays', async () => {
  const { status, text, forms } = await owner.openConsole('/console/runs?from=2001-01-01')
  expect({ status, hasForm: forms.length > 0 }).toEqual({ status: 200, hasForm: true })
  expect(text).toContain('This part could not be read: ')
})

test('a run shows why it was allowed and how its cost came about, and the parts add up', async () => {
  const { text, title, html } = await owner.openConsole(`/console/runs/${rootId}`)
  expect(title).toContain(hostile)
  expect(html).not.toContain('<img')
  expect(text).toContain('The most it could cost was $0.3728. All 2 limits that cover it had room.')
  expect(text).toMatch(/Held before \$0\.3728 .*Given back \$0\.2840 76% of what was held/)
  expect(text).toContain(
    'Input 4,140 $3.00 $0.01242 Read from cache 14,200 $0.3000 $0.00426 Written to cache 3,800 $3.75 $0.01425',
  )
  expect(text).toContain('3,860 $15.00 $0.0579 Together 26,000 $0.08883')
})

test('a run whose cost was reported says so, and shows no sum that does not add up', async () => {
  const { id } = await start({ model: 'claude-sonnet-4-6', input_tokens: 100, max_output_tokens: 100 })
  await org.post(`/v1/runs/${id}/finish`, {
    status: 'succeeded',
    input_tokens: 90,
    output_tokens: 9,
    cost_usd: '0.0017',
  })
  const { text } = await owner.openConsole(`/console/runs/${id}`)
  expect(text).toContain('$0.0017, reported by the caller')
  expect(text).not.toContain('Together')
})

test('a chain shows its limits and the tree of its runs', async () => {
  const { text, links } = await owner.openConsole(`/console/chains/${encodeURIComponent('ticket 1/2')}`)
  expect(text).toMatch(/Cost \$0\.0888 of \$1\.00/)
  expect(text).toContain('2 of 2')
  expect(links.map(({ href }) => href)).toContain(`/console/runs/${childId}`)
})

test('a refused run is explained: chain too deep', async () => {
  const { json } = await org.post('/v1/runs', {
    model: 'claude-sonnet-4-6',
    chain_id: 'ticket 1/2',
    parent_run_id: childId,
    input_tokens: 1,
    max_output_tokens: 1,
  })
  const decisionId = String(json.error?.details['decision_id'])
  await expect
    .poll(async () => (await owner.openConsole(`/console/decisions/${decisionId}`)).text)
    .toMatch(/Refused because This chain is as deep as it may be\..*1 level too much/)
})

test('a viewer sees runs; what belongs to another organization is not there', async () => {
  const viewer = await visitAsMember(money.server.url, org, 'viewer')
  expect((await viewer.openConsole(`/console/runs/${rootId}`)).status).toBe(200)
  const other = await money.org()
  const stranger = await visitWithKey(money.server.url, other.key)
  for (const path of [`/console/runs/${rootId}`, `/console/decisions/${rootId.replace('run_', 'dec_')}`])
    expect((await stranger.openConsole(path)).status).toBe(404)
})
