import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { csvRows } from '../support/csv.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { type Manner, manners, setOut, type Traveller } from '../support/traveller.ts'

/** What people come to the console for, from the sign-in to the end, in a real browser. */
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
const chromium = useBrowser()
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const journeyMs = 300_000

/** Signs in with the key of a new organization, as its owner. */
async function signInAsOwner(manner: Manner, size?: { width: number; height: number }) {
  const tenant = await tenantOf(server, operator, 'Northwind')
  const traveller = await setOut(chromium.browser, server.url, manner, size)
  return { tenant, traveller, ask: askAs(tenant.key), signIn: () => signIn(traveller, tenant) }
}

async function signIn({ open, write, press }: Traveller, { key }: Tenant) {
  await open('/console')
  await write('Key', key)
  await press('button', 'Sign in')
}

const askAs =
  (key: string) =>
  (method: string, path: string, body?: object): ReturnType<typeof call> =>
    call(server.url, method, path, { key, ...(body !== undefined && { body }) })

describe.each(manners)('$name', (manner) => {
  test(
    'somebody makes a budget, sees a refusal arrive, and raises the limit with a reason that is on record',
    async () => {
      const { traveller, ask, signIn: enter } = await signInAsOwner(manner)
      const { page, goTo, press, write, sees, awaits, end } = traveller
      await enter()
      await sees('Three steps to the first limit')
      await goTo('Budgets')
      await press('link', 'New budget')
      await write('Name', 'Everything')
      await write('Limit in US dollars', '1')
      await press('button', 'Create budget')
      await sees('The budget binds from now on.')
      await goTo('Refusals')
      await sees('Nothing was refused')
      const attempt = { model: 'gpt-4o', estimated_cost_usd: '3', workflow_id: 'customs-documents' }
      expect((await ask('POST', '/v1/runs', attempt)).json.error?.code).toBe('budget_exceeded')
      let loads = 0
      page.on('framenavigated', () => void loads++)
      await awaits('link', /^Budget used up/)
      expect(loads === 0).toBe(manner.hasScripts)
      await press('link', /^Budget used up/)
      await sees(/because .*Everything.* had \$1\.00 left and this call could have cost \$3\.00/)
      await press('link', 'Raise limit')
      await write('Limit in US dollars', '10')
      await write('Why, for the audit log', 'The pilot has a second customer')
      await press('button', 'Save changes')
      await sees('The change binds from now on.')
      expect((await ask('POST', '/v1/runs', attempt)).status).toBe(201)
      await goTo('Audit log')
      await sees('The pilot has a second customer')
      await press('link', 'budget.updated')
      await sees('The pilot has a second customer')
      await end()
    },
    journeyMs,
  )

  test(
    'somebody mends a rule, tests it on past runs, switches it on, and sees its first match',
    async () => {
      const { tenant, traveller, ask, signIn: enter } = await signInAsOwner(manner)
      const { goTo, press, write, sees, expects, page, end } = traveller
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
      const past = ['research', 'research', 'billing'].map((department_id, i) => ({
        model: 'gpt-4o',
        department_id,
        external_id: `past ${i}`,
        cost_usd: '2',
        started_at: at(90),
        ended_at: at(89),
        status: 'succeeded',
      }))
      expect((await ask('POST', '/v1/runs/bulk', { runs: past })).status).toBeLessThan(300)
      await enter()
      await goTo('Rules')
      await press('link', 'New rule')
      await write('Name', 'No research')
      await write('It is about runs where', 'run.departmnt_id == "research"')
      await write('And tell the caller', 'Research has its own account.')
      expects(422)
      await press('button', 'Create in shadow')
      await sees('Line 1, column')
      await write('It is about runs where', 'run.department_id == "research"')
      await press('button', 'Test on the runs of 30 days')
      await sees(/It would have stopped 2 of 3 runs, which cost \$4\.00/)
      await press('button', 'Create in shadow')
      await sees('The rule is in shadow')
      const attempt = { model: 'gpt-4o', estimated_cost_usd: '0.01', department_id: 'research', workflow_id: 'papers' }
      expect((await ask('POST', '/v1/runs', attempt)).status).toBe(201)
      await press('link', /^Test and switch on/)
      await press('button', 'Switch it on')
      await sees('The rule is on.')
      expect((await ask('POST', '/v1/runs', attempt)).json.error?.code).toBe('policy_blocked')
      // Matches are recorded after the answer.
      await expect
        .poll(async () => (await page.reload(), page.getByRole('row', { name: /papers.*Blocks/ }).count()))
        .toBe(1)
      expect((await ask('GET', `/v1/orgs/${tenant.id}/policies`)).json['data']).toMatchObject([
        { name: 'No research', enabled: true, shadow: false },
      ])
      await end()
    },
    journeyMs,
  )

  test(
    'somebody approves a run on a phone within three taps',
    async () => {
      const { tenant, traveller, ask, signIn: enter } = await signInAsOwner(manner, { width: 360, height: 740 })
      const { press, presses, sees, page, end } = traveller
      const org = `/v1/orgs/${tenant.id}`
      const rule = {
        name: 'Refunds',
        effect: 'require_approval',
        target: 'action',
        expression: 'run.action == "refund"',
      }
      await ask('POST', `${org}/policies`, { ...rule, priority: 10, reason: 'A lead approves refunds.' })
      const service = { name: 'Support agent', role: 'service', scopes: ['runs:write'] }
      const agent = askAs(String((await ask('POST', `${org}/keys`, service)).json['secret']))
      const refund = { model: 'gpt-4o', estimated_cost_usd: '0.4', action: 'refund', workflow_id: 'returns' }
      expect((await agent('POST', '/v1/runs', refund)).json.error?.code).toBe('policy_approval_required')
      await enter()
      const before = presses()
      await press('link', '1 run waits for approval')
      const button = page.getByRole('button', { name: /^Approve/ })
      await button.waitFor()
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
      await press('button', /^Approve/)
      expect(presses() - before).toBeLessThanOrEqual(3)
      await sees('Approved.')
      expect((await agent('POST', '/v1/runs', refund)).status).toBe(201)
      await end()
    },
    journeyMs,
  )

  test(
    'somebody finds what a team spent last week by model, and exports it',
    async () => {
      const { traveller, ask, signIn: enter } = await signInAsOwner(manner)
      const { goTo, press, choose, sees, page, end } = traveller
      await ask('POST', '/v1/runs/bulk', { runs: runsOfWeeks() })
      await enter()
      await goTo('Usage')
      await choose('Range', 'Last week')
      await press('button', 'Show')
      await sees('$13.75 in 4 runs, last week')
      await press('link', 'research')
      await press('link', 'Model')
      await sees('$9.75 in 3 runs, last week')
      const costs = await page.getByRole('row').allInnerTexts()
      expect(costs.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^o3 \$7\.25/),
          expect.stringMatching(/^gpt-4o \$2\.50/),
          expect.stringMatching(/^All \$9\.75/),
        ]),
      )
      const [download] = await Promise.all([page.waitForEvent('download'), press('link', 'CSV')])
      const [names = [], ...rows] = csvRows(readFileSync(await download.path(), 'utf8'))
      const sums = new Map<string, number>()
      for (const row of rows) {
        const model = row[names.indexOf('model')] ?? ''
        sums.set(model, (sums.get(model) ?? 0) + Number(row[names.indexOf('cost_usd')]))
      }
      expect(Object.fromEntries(sums)).toEqual({ o3: 7.25, 'gpt-4o': 2.5 })
      await end()
    },
    journeyMs,
  )

  test(
    'somebody revokes a leaked key, and its next use fails',
    async () => {
      const { tenant, traveller, ask, signIn: enter } = await signInAsOwner(manner)
      const { goTo, press, sees, end } = traveller
      const body = { name: 'Nightly batch', role: 'service', scopes: ['runs:write'] }
      const made = await ask('POST', `/v1/orgs/${tenant.id}/keys`, body)
      const leaked = askAs(String(made.json['secret']))
      const attempt = { model: 'gpt-4o', estimated_cost_usd: '0.01' }
      expect((await leaked('POST', '/v1/runs', attempt)).status).toBe(201)
      await enter()
      await goTo('Keys')
      await press('link', 'Nightly batch')
      await press('link', /^Revoke/)
      await sees('From this moment no server accepts it.')
      await press('button', 'Revoke key')
      await sees(/^Revoked/)
      expect((await leaked('POST', '/v1/runs', attempt)).json.error?.code).toBe('gone')
      await end()
    },
    journeyMs,
  )
})

/** Runs of two teams: some in the calendar week before this one, in UTC, and some just outside it. */
function runsOfWeeks(): object[] {
  const dayMs = 86_400_000
  const today = new Date(new Date().toISOString().slice(0, 10)).getTime()
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * dayMs
  const runs = [
    [-7, 'research', 'o3', '4'],
    [-1, 'research', 'o3', '3.25'],
    [-3, 'research', 'gpt-4o', '2.5'],
    [-2, 'billing', 'gpt-4o', '4'],
    [-8, 'research', 'o3', '100'],
    [0, 'research', 'o3', '200'],
  ] as const
  return runs.map(([days, department_id, model, cost_usd], i) => {
    // The last minute before the week, or the first of a day: never later than now.
    const atMs = days === -8 ? monday - 7 * dayMs - 60_000 : monday + days * dayMs
    return {
      model,
      department_id,
      cost_usd,
      external_id: `week ${i}`,
      started_at: new Date(atMs).toISOString(),
      ended_at: new Date(atMs + 1_000).toISOString(),
      status: 'succeeded',
    }
  })
}
