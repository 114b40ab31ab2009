import { describe, expect, test } from 'vitest'
import { createApi } from '../../src/console/api/api.ts'
import { type ConsoleVisitor, useConsole, visitAsMember, visitAsSupport } from '../support/console.ts'

const { server, operator, tenant, owner, ask } = useConsole({ name: 'Acme <b>& Sons' })

const budget = { name: 'Team <i>one</i>', scope_kind: 'org', limit_usd: '12.5', period: 'day' }

describe('the frame of a page', () => {
  test('names the organization and whoever looks, as text', async () => {
    const viewer = await visitAsMember(server.url, tenant, 'viewer', 'vera@example.com')
    const { html, title, status } = await viewer.openConsole('/console')
    expect(status).toBe(200)
    expect(title).toBe('Overview · Acme <b>& Sons · Weir')
    expect(html).toContain('vera@example.com')
    expect(html).not.toContain('<b>& Sons')
  })

  test('shows no name that turns the direction of the amounts after it', async () => {
    await ask('POST', '/budgets', { ...budget, name: 'pay\u202etxt', scope_kind: 'workflow', scope_id: 'a\u2067b' })
    const { html } = await owner.openConsole('/console/budgets')
    expect(html).toContain('pay\ufffdtxt')
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    const { json } = await ask('GET', '/budgets')
    const [made] = json['data'] as { id: string }[]
    await ask('DELETE', `/budgets/${made!.id}`)
  })

  test('says on every page that support looks, and within which scope', async () => {
    const support = await visitAsSupport(server.url, operator.key, tenant.id, 'read')
    expect((await support.openConsole('/console')).html).toMatch(/Support access to Acme.*may read/)
    expect((await owner.openConsole('/console')).html).not.toContain('Support access to')
  })

  test('shows support the pages of the organization that the grant covers, with no action beyond it', async () => {
    const [reading, configuring] = await Promise.all(
      ['read', 'configuration'].map((scope) => visitAsSupport(server.url, operator.key, tenant.id, scope)),
    )
    const links = async (visitor: ConsoleVisitor | undefined) => (await visitor!.openConsole('/console')).html
    expect(await links(reading)).toContain('href="/console/keys"')
    expect(await links(reading)).not.toContain('href="/console/orgs"')
    expect(await links(configuring)).not.toContain('href="/console/keys"')
    expect((await reading!.openConsole('/console/budgets')).text).not.toContain('New budget')
    expect((await configuring!.openConsole('/console/budgets')).text).toContain('New budget')
    expect((await reading!.postUnseen('/console/budgets', budget)).status).toBe(403)
  })

  test('makes one change of a form that is sent twice', async () => {
    const form = (await owner.openConsole('/console/budgets/new')).forms.find(({ method }) => method === 'post')!
    const fields = { ...form.fields, ...budget }
    const [first, second] = [await owner.postUnseen(form.action, fields), await owner.postUnseen(form.action, fields)]
    expect(first.status).toBe(303)
    expect(second.location).toBe(first.location)
    const { json } = await ask('GET', '/budgets')
    expect(json['data']).toMatchObject([{ name: budget.name, limit_usd: '12.5' }])
  })

  test('gives every form of a page a key of its own, so that one change never stands for another', async () => {
    const { json } = await ask('POST', '/webhooks', { url: 'https://hooks.example.com/weir', signing: 'subscription' })
    const page = await owner.openConsole(`/console/webhooks/${String(json['id'])}`)
    const keys = page.forms.map(({ fields }) => fields['idempotency_key']).filter((key) => key !== undefined)
    expect(keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(keys.length)
    // A key that somebody sends with two forms is no way to get the answer of one for the other.
    const key = { idempotency_key: 'the-same' }
    const made = await owner.postUnseen('/console/budgets', { ...budget, name: 'First', ...key })
    const other = await owner.postUnseen('/console/budgets', { ...budget, name: 'Second', ...key })
    expect([made.status, other.status]).toEqual([303, 303])
    expect(other.location).not.toBe(made.location)
  })

  test('lets a page change nothing, whatever it calls: links of other sites lead to pages', async () => {
    const api = createApi(server.app, { headers: {} } as never, {
      orgId: tenant.id,
      csrfToken: owner.session.csrfToken,
    })
    await expect(api.change('post', '/v1/orgs/{id}/freeze', { body: { reason: 'x' } })).rejects.toThrow(
      'must not change',
    )
  })

  test('says nothing about what was not done, whatever an address names', async () => {
    for (const name of ['constructor', '__proto__', 'toString', '<b>'])
      for (const page of ['keys', 'prices', 'customers', 'limits', 'settings']) {
        const { status, html } = await owner.openConsole(`/console/${page}?done=${encodeURIComponent(name)}`)
        expect([page, name, status, html.includes('role="status"'), html.includes('native code')]).toEqual([
          page,
          name,
          200,
          false,
          false,
        ])
      }
    const { text } = await owner.openConsole('/console/limits/concurrency-defaults/constructor/delete')
    expect(text).not.toContain('native code')
  })

  test('gives a form back with what was typed and the message at its field', async () => {
    const refused = await owner.postForm('/console/budgets/new', { ...budget, limit_usd: '1,450' })
    expect(refused.status).toBe(422)
    expect(refused.forms.find(({ action }) => action === '/console/budgets')?.fields).toMatchObject({
      name: budget.name,
      limit_usd: '1,450',
    })
    expect(refused.html).toMatch(/id="f-limit_usd"[^>]*aria-invalid="true"[^>]*aria-describedby="f-limit_usd-e/)
  })
})
