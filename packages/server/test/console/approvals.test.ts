import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { addRule, startRun } from '../support/governed.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { keyOf } from '../support/tenants.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
let org: MoneyOrg
let admin: ConsoleVisitor
beforeAll(async () => {
  org = await money.org()
  await addRule(org, {
    name: 'Ask <b>first</b>',
    effect: 'require_approval',
    expression: 'run.workflow_id != "free"',
    reason: 'A lead decides.',
  })
  admin = await visitWithKey(money.server.url, (await keyOf(money.server, org.id, { role: 'admin' })).key)
})

const inbox = '/console/approvals'

/** Makes a request of the organization's key; each workflow is another request. */
async function requested(workflow: string, more: Record<string, unknown> = {}): Promise<string> {
  const { json } = await startRun(org, { workflow_id: workflow, estimated_cost_usd: '0.54', ...more })
  return json.error?.details['approval_id'] as string
}
const stored = async (id: string) => (await org.ask('GET', `/approvals/${id}`)).json

describe('the inbox of approvals', () => {
  test('shows what waits, the oldest first, with amount and reason, and names as text', async () => {
    const first = await requested('refunds <i>x</i>')
    const second = await requested('later')
    const { html, text, status } = await admin.openConsole(inbox)
    expect(status).toBe(200)
    expect(text).toContain('Run gpt-4o on refunds <i>x</i>')
    expect(text).toContain('Rule “Ask <b>first</b>”: A lead decides.')
    expect(text).toContain('about $0.5400')
    expect(html.indexOf(first)).toBeLessThan(html.indexOf(second))
    expect(html).not.toContain('<i>x</i>')
    expect(html).not.toContain('<b>first</b>')
  })

  test('approves with one tap, within exactly the bounds that its button names', async () => {
    const id = await requested('one tap')
    const page = await admin.openConsole(inbox)
    const form = page.forms.find(({ action }) => action === `${inbox}/${id}/approve`)
    expect(form?.buttons).toEqual(['Approve 1 run up to $0.60 for Run gpt-4o on one tap'])
    const answer = await admin.postForm(inbox, {}, `${inbox}/${id}/approve`)
    expect(answer.location).toBe(`${inbox}?done=approved&of=${id}`)
    expect(await stored(id)).toMatchObject({
      status: 'approved',
      grant: { max_runs: 1, max_amount_usd: '0.6', runs_started: 0 },
    })
    const after = await admin.openConsole(String(answer.location))
    expect(after.text).toContain('Granted and in use')
    expect(after.text).toContain('0 of 1 run, $0.00 of $0.6000')
    expect(after.forms.some(({ action }) => action === `${inbox}/${id}/approve`)).toBe(false)
  })

  test('two requests on one page are two decisions, also after going back to that page', async () => {
    const ids = [await requested('back 1'), await requested('back 2')]
    const { forms } = await admin.openConsole(inbox)
    for (const id of ids) {
      const { fields, action } = forms.find((form) => form.action === `${inbox}/${id}/approve`)!
      expect((await admin.postUnseen(action, fields)).status).toBe(303)
      expect(await stored(id)).toMatchObject({ status: 'approved' })
    }
  })

  test('takes other bounds, a note and an end from the page of the request', async () => {
    const id = await requested('bounds')
    const answer = await admin.postForm(
      `${inbox}/${id}`,
      { max_runs: '3', max_amount_usd: '20', ends_in: '3600', note: 'For the release.' },
      /approve/,
    )
    expect(answer.status).toBe(303)
    const approval = (await stored(id)) as unknown as { expires_at: string; decided_at: string }
    expect(approval).toMatchObject({ note: 'For the release.', grant: { max_runs: 3, max_amount_usd: '20' } })
    expect(Date.parse(approval.expires_at) - Date.parse(approval.decided_at)).toBeLessThanOrEqual(3_600_000)
    expect((await admin.openConsole(`${inbox}/${id}`)).text).toContain('Note For the release.')
  })

  test('gives the form back with the message at its field', async () => {
    const id = await requested('typed wrong')
    const refused = await admin.postForm(
      `${inbox}/${id}`,
      { max_runs: 'many', max_amount_usd: '1,450', note: 'kept' },
      /approve/,
    )
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-max_amount_usd"[^>]*aria-invalid="true"/)
    expect(refused.html).toMatch(/id="f-max_runs"[^>]*aria-invalid="true"/)
    expect(refused.forms.find(({ action }) => action.endsWith('/approve'))?.fields).toMatchObject({
      max_amount_usd: '1,450',
      note: 'kept',
    })
    expect(await stored(id)).toMatchObject({ status: 'pending' })
  })

  test('denies after a question, with a note for the requester', async () => {
    const id = await requested('denied')
    expect((await admin.openConsole(`${inbox}/${id}/deny`)).text).toContain('for a day they create no new request')
    expect((await admin.postForm(`${inbox}/${id}/deny`, { note: 'Use the small model.' })).status).toBe(303)
    expect(await stored(id)).toMatchObject({ status: 'denied', note: 'Use the small model.' })
    expect((await admin.openConsole(`${inbox}?status=denied`)).text).toContain('Run gpt-4o on denied')
  })

  test('takes a grant back, and then no run starts', async () => {
    const id = await requested('taken back')
    await admin.postForm(inbox, {}, `${inbox}/${id}/approve`)
    expect((await admin.postForm(`${inbox}/${id}/revoke`)).status).toBe(303)
    expect(await stored(id)).toMatchObject({ status: 'expired' })
    expect((await startRun(org, { workflow_id: 'taken back', estimated_cost_usd: '0.54' })).status).toBe(403)
  })

  test('a request that was decided meanwhile says so', async () => {
    const id = await requested('raced')
    const { fields } = (await admin.openConsole(`${inbox}/${id}`)).forms.find(({ action }) =>
      action.endsWith('/approve'),
    )!
    await admin.postForm(`${inbox}/${id}/deny`)
    const late = await admin.postUnseen(`${inbox}/${id}/approve`, fields)
    expect(late.status).toBe(422)
    expect(late.text).toContain('The request is already denied.')
    expect(await stored(id)).toMatchObject({ status: 'denied' })
  })
})

describe('whoever may not decide', () => {
  test('the key that asked is offered nothing, and is refused when it tries', async () => {
    const id = await requested('own')
    const asker = await visitWithKey(money.server.url, org.key)
    const page = await asker.openConsole(inbox)
    expect(page.text).toContain('You asked for this: somebody else decides.')
    expect(page.forms.filter(({ action }) => action.includes(id))).toEqual([])
    const refused = await asker.postUnseen(`${inbox}/${id}/approve`, { max_runs: '1' })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('cannot decide on it')
    expect(await stored(id)).toMatchObject({ status: 'pending' })
  })

  test('a viewer sees requests and is offered no decision', async () => {
    const id = await requested('viewed')
    const viewer = await visitAsMember(money.server.url, org, 'viewer')
    const page = await viewer.openConsole(inbox)
    expect(page.text).toContain('Run gpt-4o on viewed')
    expect(page.forms.filter(({ method }) => method === 'post')).toEqual([])
    for (const verdict of ['approve', 'deny', 'revoke'])
      expect((await viewer.postUnseen(`${inbox}/${id}/${verdict}`, { max_runs: '1' })).status).toBe(403)
    expect(await stored(id)).toMatchObject({ status: 'pending' })
  })

  test('a request of another organization is not found', async () => {
    const other = await money.org()
    await addRule(other, { effect: 'require_approval' })
    const id = (await startRun(other)).json.error?.details['approval_id'] as string
    expect((await admin.openConsole(`${inbox}/${id}`)).status).toBe(404)
    expect((await admin.postUnseen(`${inbox}/${id}/approve`, { max_runs: '1' })).status).toBe(404)
    expect((await other.ask('GET', `/approvals/${id}`)).json).toMatchObject({ status: 'pending' })
  })
})

describe('a rule that asks for a person', () => {
  test('is not offered to a key, which the API would refuse, and is to a person', async () => {
    const other = await money.org()
    await addRule(other, {
      effect: 'require_approval',
      expression: 'true',
      reason: 'A person decides.',
      approver: 'person',
    })
    const { json } = await startRun(other, { workflow_id: 'asked', estimated_cost_usd: '0.5' })
    const id = json.error?.details['approval_id'] as string
    const key = await visitWithKey(money.server.url, (await keyOf(money.server, other.id, { role: 'admin' })).key)
    for (const page of [inbox, `${inbox}/${id}`]) {
      const { text, forms } = await key.openConsole(page)
      expect(text).toContain('The rule asks for a person')
      expect(forms.filter(({ action }) => action.includes(id))).toEqual([])
    }
    const person = await visitAsMember(money.server.url, other, 'admin')
    expect((await person.openConsole(inbox)).forms.map(({ action }) => action)).toContain(`${inbox}/${id}/approve`)
  })

  test('is approved once by two clicks', async () => {
    const id = await requested('twice')
    const form = (await admin.openConsole(`${inbox}/${id}`)).forms.find(({ action }) => action.endsWith('/approve'))!
    const clicks = [await admin.postUnseen(form.action, form.fields), await admin.postUnseen(form.action, form.fields)]
    // The end of the grant is at a whole minute: only between two of them are the clicks not alike.
    expect(clicks[0]?.status).toBe(303)
    expect([303, 422]).toContain(clicks[1]?.status)
    expect(await stored(id)).toMatchObject({ status: 'approved' })
  })
})
