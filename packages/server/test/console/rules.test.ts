import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { addRule, startRun } from '../support/governed.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
let org: MoneyOrg
let owner: ConsoleVisitor
beforeAll(async () => {
  org = await money.org()
  owner = await visitWithKey(money.server.url, org.key)
})

const path = '/console/rules'
const draft = {
  name: 'Night <b>shift</b>',
  expression: 'run.workflow_id == "night"',
  effect: 'block',
  target: 'model',
  priority: '50',
  reason: 'Not at night.',
}
const stored = async (id: string) => (await org.ask('GET', `/policies/${id}`)).json
const idIn = (location: string | undefined) => /rul_\w+/.exec(location ?? '')?.[0] ?? ''

describe('the list of rules', () => {
  test('stands in the order in which rules are asked, with state, and names as text', async () => {
    await addRule(org, { name: 'Second', priority: 70, expression: 'false', enabled: false })
    await addRule(org, { name: 'First <i>x</i>', priority: 60, expression: 'run.action == "never"', shadow: true })
    const { text, html } = await owner.openConsole(path)
    expect(text).toMatch(/First <i>x<\/i>.*run\.action == "never".*In shadow.*Second.*Off/)
    expect(html).not.toContain('<i>x</i>')
  })

  test('counts the matches of today', async () => {
    await addRule(org, { name: 'Counted', expression: 'run.workflow_id == "counted"' })
    for (let i = 0; i < 3; i++) expect((await startRun(org, { workflow_id: 'counted' })).status).toBe(403)
    // Matches are recorded after the answer.
    await expect
      .poll(async () => (await owner.openConsole(path)).html)
      .toMatch(/Counted<\/a>.*?3 matches in 14 days.*?data-l="Today">3</s)
  })
})

describe('the editor of a rule', () => {
  test('creates a rule in shadow, which then refuses nothing', async () => {
    const answer = await owner.postForm(`${path}/new`, draft)
    expect(answer.status).toBe(303)
    const id = idIn(answer.location)
    expect(await stored(id)).toMatchObject({ ...draft, priority: 50, enabled: true, shadow: true })
    expect((await startRun(org, { workflow_id: 'night' })).status).toBe(201)
  })

  test('says line and column of a mistake, with carets under the word, and keeps what was typed', async () => {
    const expression = 'run.model == "a"\r\n  && run.departmnt_id != "b"'
    const refused = await owner.postForm(`${path}/new`, { ...draft, expression })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/Line 2, column \d+: /)
    const [, line = '', carets = ''] = /fault">(.*)\n( *<mark>\^+)</.exec(refused.html) ?? []
    expect(line).toBe('  &amp;&amp; run.departmnt_id != &quot;b&quot;')
    const column = carets.indexOf('<')
    expect(line.replaceAll('&amp;', '&').slice(column)).toMatch(/^\.?departmnt_id|^run/)
    expect(refused.forms.find(({ action }) => action === path)?.fields).toMatchObject({ name: draft.name })
    expect(refused.html).toContain('aria-describedby="f-expression-e"')
  })

  test('stores lines as they were written, not as browsers send them', async () => {
    const answer = await owner.postForm(`${path}/new`, { ...draft, expression: 'false\r\n  || false' })
    expect(await stored(idIn(answer.location))).toMatchObject({ expression: 'false\n  || false' })
  })

  test('changes a rule, and leaves it on if it was on', async () => {
    const id = await addRule(org, { expression: 'run.workflow_id == "old"' })
    const answer = await owner.postForm(`${path}/${id}`, { expression: 'run.workflow_id == "new"' }, `${path}/${id}`)
    expect(answer.location).toBe(`${path}/${id}?done=changed`)
    expect(await stored(id)).toMatchObject({ expression: 'run.workflow_id == "new"', enabled: true, shadow: false })
    expect((await startRun(org, { workflow_id: 'new' })).status).toBe(403)
  })

  test('tries a draft on a run without saving it', async () => {
    const before = (await org.ask('GET', '/policies?limit=200')).text
    const fields = { ...draft, sample_model: 'gpt-4o', sample_workflow_id: 'night', do: 'try' }
    const found = await owner.postUnseen(`${path}/check`, fields)
    expect(found.status).toBe(200)
    expect(found.text).toContain('Would be blocked “Night <b>shift</b>” decides: Not at night.')
    const other = await owner.postUnseen(`${path}/check`, { ...fields, sample_workflow_id: 'day' })
    expect(other.text).toContain('Would start No rule decides about it.')
    expect((await org.ask('GET', '/policies?limit=200')).text).toBe(before)
  })

  test('says at its field what is wrong with the run on which a draft is tried', async () => {
    const fields = { ...draft, sample_model: 'gpt-4o', sample_estimated_cost_usd: '1,5', do: 'try' }
    const refused = await owner.postUnseen(`${path}/check`, fields)
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-sample_estimated_cost_usd"[^>]*aria-invalid="true"/)
  })
})

describe('switching a rule on', () => {
  test('shows first what it would have refused, from whom, and the runs', async () => {
    const run = (await startRun(org, { workflow_id: 'dear', department_id: 'growth <u>' })).json['id'] as string
    await org.post(`/v1/runs/${run}/finish`, { status: 'succeeded', cost_usd: '0.0075' })
    const id = await addRule(org, { expression: 'run.workflow_id == "dear"', shadow: true })
    expect((await owner.openConsole(`${path}/${id}/switch-on`)).text).not.toContain('It would have')
    const page = await owner.postForm(`${path}/${id}/switch-on`, {}, `${path}/${id}/switch-on`)
    expect(page.text).toMatch(/It would have stopped 1 of \d+ runs?, which cost \$0\.0\d+/)
    expect(page.text).toContain('growth <u> 1 run')
    expect(page.links.map(({ href }) => href)).toContain(`/console/runs/${run}`)
    expect(await stored(id)).toMatchObject({ shadow: true })
    expect((await owner.postForm(`${path}/${id}/switch-on`, {}, /state$/)).status).toBe(303)
    expect(await stored(id)).toMatchObject({ enabled: true, shadow: false })
    expect((await startRun(org, { workflow_id: 'dear' })).status).toBe(403)
  })

  test('a rule that lets runs pass earlier keeps them out of the test', async () => {
    const run = (await startRun(org, { workflow_id: 'spared' })).json['id'] as string
    await org.post(`/v1/runs/${run}/finish`, { status: 'succeeded', cost_usd: '0.005' })
    const id = await addRule(org, { expression: 'run.workflow_id == "spared"', shadow: true, priority: 90 })
    const test = () => owner.postForm(`${path}/${id}/switch-on`, {}, `${path}/${id}/switch-on`)
    expect((await test()).text).toContain('would have stopped 1 of')
    await addRule(org, { expression: 'run.workflow_id == "spared"', effect: 'allow', priority: 80 })
    expect((await test()).text).toContain('would have stopped 0 of')
  })

  test('a draft is tested without being saved', async () => {
    const tested = await owner.postUnseen(`${path}/check`, { ...draft, expression: 'true', do: 'test' })
    expect(tested.status).toBe(200)
    expect(tested.text).toContain('Had it been on for 30 days')
    const wrong = await owner.postUnseen(`${path}/check`, { ...draft, expression: 'run.', do: 'test' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/Line 1, column \d+:/)
  })
})

describe('rules of others', () => {
  test('a viewer reads them, is offered no change and is refused one', async () => {
    const id = await addRule(org, { name: 'Read only', expression: 'run.workflow_id == "ro"' })
    const viewer = await visitAsMember(money.server.url, org, 'viewer')
    const page = await viewer.openConsole(`${path}/${id}`)
    expect(page.text).toContain('run.workflow_id == "ro"')
    expect(page.forms.filter(({ method }) => method === 'post')).toEqual([])
    for (const [action, fields] of [
      [path, draft],
      [`${path}/${id}`, draft],
      [`${path}/${id}/state`, { to: 'off' }],
      [`${path}/${id}/delete`, {}],
    ] as const)
      expect((await viewer.postUnseen(action, fields)).status).toBe(403)
    expect(await stored(id)).toMatchObject({ enabled: true, version: 1 })
  })

  test('one of another organization is not found', async () => {
    const other = await money.org()
    const id = await addRule(other)
    for (const page of ['', '/matches', '/switch-on', '/delete'])
      expect((await owner.openConsole(`${path}/${id}${page}`)).status).toBe(404)
    expect((await owner.postUnseen(`${path}/${id}/state`, { to: 'off' })).status).toBe(404)
  })

  test('one is deleted after a question', async () => {
    const id = await addRule(org, { expression: 'false' })
    expect((await owner.postForm(`${path}/${id}/delete`)).location).toBe(path)
    expect((await org.ask('GET', `/policies/${id}`)).status).toBe(404)
  })
})
