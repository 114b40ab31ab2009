import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_EXPENSIVE_READ_BURST_MS: '600000' } })
const dayMs = 86_400_000
let tenant: Tenant
let owner: ConsoleVisitor
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
  const runs = Array.from({ length: 60 }, (_, index) => {
    const startedAt = new Date(Date.now() - (index + 1) * dayMs)
    const cost = 100 + (index % 7) * 10 + ((index * 7) % 5)
    return {
      external_id: `r${index}`,
      model: 'gpt-4o',
      department_id: '<i>team</i>',
      status: 'succeeded',
      cost_usd: String(cost),
      started_at: startedAt.toISOString(),
      ended_at: new Date(startedAt.getTime() + 1_000).toISOString(),
    }
  })
  const { status, text } = await call(server.url, 'POST', '/v1/runs/bulk', {
    key: tenant.key,
    body: { runs, enforce: false },
  })
  if (status !== 200) throw new Error(`runs: ${status} ${text}`)
  owner = await visitWithKey(server.url, tenant.key)
})

const money = String.raw`\$[\d,]+\.\d\d`
const range = `${money} to ${money}`

describe('forecasts', () => {
  test('always come with their range, in total and for each part', async () => {
    const { text, html } = await owner.openConsole('/console/forecasts?by=department')
    expect(text).toMatch(new RegExp(`${range} in the next 30 days, 4 of 5 times`))
    expect(text).toMatch(new RegExp(`<i>team</i> ${money} ${range} (high|medium)`))
    expect(html).not.toContain('<i>team')
    expect(html).toContain('class="p80"')
    expect(text).toMatch(new RegExp(`4 of 5 times between ${money} and ${money}`))
  })

  test('that are unsure draw no ghost and print their reasons', async () => {
    const young = await tenantOf(server, operator)
    const { text, html } = await (await visitWithKey(server.url, young.key)).openConsole('/console/forecasts')
    expect(text).toMatch(/This forecast is not sure\. \S+/)
    expect(html).not.toContain('class="ghost"')
  })

  test('take a scenario from a form to the address, show its difference, and leave it out again', async () => {
    const at = new Date(Date.now() + 3 * dayMs).toISOString().slice(0, 10)
    const added = await owner.postForm('/console/forecasts/scenario?kind=team_growth&view=by%3Ddepartment', {
      name: 'Twice <b>',
      at,
      teams_now: '4',
      teams_then: '8',
    })
    expect(added.status).toBe(303)
    expect(added.location).toMatch(/^\/console\/forecasts\?by=department&scenario=/)
    const { text, html, links } = await owner.openConsole(added.location!)
    expect(text).toMatch(new RegExp(`Twice <b> More teams, from .* on ${money} ${range} \\+${money}`))
    expect(html).toContain('class="plan plan-1"')
    const remove = links.find((link) => link.text.startsWith('Remove'))!.href.replaceAll('&amp;', '&')
    expect((await owner.openConsole(remove)).text).not.toContain('Twice')
  })

  test('give the form back with the message at its field', async () => {
    const refused = await owner.postForm('/console/forecasts/scenario?kind=cap', {
      name: 'Cap',
      at: 'soon',
      monthly_usd: '1,000',
    })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-at-e">.*This must be a date/)
    expect(refused.html).toContain('id="f-monthly_usd-e"')
    expect(refused.forms.find(({ method }) => method === 'post')?.fields).toMatchObject({ monthly_usd: '1,000' })
  })

  test('refuse a scenario that nobody could have made here', async () => {
    expect((await owner.openConsole('/console/forecasts?scenario=%7B')).status).toBe(422)
  })
})

describe('benchmarks', () => {
  const create = async (name: string) =>
    String(
      (
        await call(server.url, 'POST', '/v1/admin/benchmarks/cohorts', {
          key: operator,
          body: { name, period: 'month' },
        })
      ).json['id'],
    )
  const joined = async () =>
    (await call(server.url, 'GET', `/v1/orgs/${tenant.id}/benchmark-membership`, { key: tenant.key })).json[
      'cohort_ids'
    ]

  test('are joined and left one by one, after a question', async () => {
    expect((await owner.openConsole('/console/benchmarks')).text).toContain('No cohort yet')
    const [first, second] = [await create('Freight <i>'), await create('Support')]
    expect((await owner.openConsole('/console/benchmarks')).text).toContain('Freight <i>')
    for (const id of [first, second]) await owner.postForm('/console/benchmarks', {}, `/console/benchmarks/${id}/join`)
    expect(await joined()).toEqual(expect.arrayContaining([first, second]))
    expect((await owner.openConsole('/console/benchmarks')).text).toContain('joined 2 of 2')
    const left = await owner.postForm(`/console/benchmarks/${first}/leave`)
    expect(left.location).toBe('/console/benchmarks?done=left')
    expect(await joined()).toEqual([second])
    expect((await owner.openConsole(`/console/benchmarks/${first}`)).text).toContain('Too few organizations so far')
  })

  test('offer a viewer no membership, and refuse it', async () => {
    const id = await create('Other')
    const viewer = await visitAsMember(server.url, tenant, 'viewer')
    const page = await viewer.openConsole('/console/benchmarks')
    expect(page.text).toContain('Other')
    expect(page.forms).toEqual([])
    const before = await joined()
    expect((await viewer.postUnseen(`/console/benchmarks/${id}/join`)).status).toBe(403)
    expect(await joined()).toEqual(before)
  })

  test('know no cohort that is not there', async () => {
    expect((await owner.openConsole('/console/benchmarks/coh_01jbsteb4peb5vskx602h9mw4q')).status).toBe(404)
  })
})
