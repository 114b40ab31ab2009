import { expect, test } from 'vitest'
import { useConsole, visitAsMember, visitWithKey } from '../support/console.ts'
import { call } from '../support/tenants.ts'

const { server, operator, tenant, owner } = useConsole()
interface SetPrices {
  readonly prices: { readonly id: string; readonly model: string }[]
}
const pricesOf = async () =>
  (await call(server.url, 'GET', `/v1/orgs/${tenant.id}/prices`, { key: tenant.key })).json as unknown as SetPrices
const price = { model: '<i>ours</i>', input_usd_per_million: '0.5', output_usd_per_million: '1.5' }

test('A price is created, changed without losing what the form does not show, and deleted', async () => {
  await owner.postForm('/console/prices/new', price)
  const [made] = (await pricesOf()).prices
  expect(made).toMatchObject({ ...price, provider: null })
  await call(server.url, 'PATCH', `/v1/orgs/${tenant.id}/prices/${made!.id}`, {
    key: tenant.key,
    body: { units_usd: { web_search: '0.01' } },
  })
  const { html } = await owner.openConsole('/console/prices')
  expect(html).toContain('&lt;i&gt;ours')
  expect(html).toContain('web search')
  await owner.postForm(`/console/prices/${made!.id}/edit`, { input_usd_per_million: '0.75' })
  expect((await pricesOf()).prices).toMatchObject([
    { input_usd_per_million: '0.75', output_usd_per_million: '1.5', units_usd: { web_search: '0.01' } },
  ])
  await owner.postForm(`/console/prices/${made!.id}/delete`)
  expect((await pricesOf()).prices).toEqual([])
})

test('A refused price comes back with the message at its field', async () => {
  const refused = await owner.postForm('/console/prices/new', { ...price, input_usd_per_million: 'cheap' })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('id="f-input_usd_per_million-e"')
  expect((await pricesOf()).prices).toEqual([])
})

test('A model that was called without a price is shown with the way to set one', async () => {
  await call(server.url, 'POST', '/v1/edge/decision', {
    key: tenant.key,
    body: { model: 'unheard-of-1', input_tokens: 10, max_output_tokens: 10 },
  })
  await expect
    .poll(async () => (await owner.openConsole('/console/prices')).html)
    .toContain('href="/console/prices/new?model=unheard-of-1&amp;provider="')
})

test('Calls without a price are refused unless somebody chooses otherwise', async () => {
  await owner.postForm('/console/prices/unpriced', { unpriced: 'ceiling', unpriced_ceiling_usd: '0.25' })
  expect(await pricesOf()).toMatchObject({ unpriced: 'ceiling', unpriced_ceiling_usd: '0.25' })
  await owner.postUnseen('/console/prices/unpriced', { min_hold_usd: '0.002' })
  expect(await pricesOf()).toMatchObject({ unpriced: 'refuse', min_hold_usd: '0.002' })
})

test('List prices are found by a part of their name, with where they come from', async () => {
  const found = await owner.openConsole('/console/prices?model=gpt-4o')
  expect(found.text).toContain('built-in list')
  expect(found.text).not.toContain('claude')
})

test('Operators set prices for the installation; others may not see them', async () => {
  const visitor = await visitWithKey(server.url, operator.key)
  await visitor.postForm('/console/installation-prices/new', price)
  const { text, html } = await visitor.openConsole('/console/installation-prices')
  expect(text).toContain('1 price for every organization')
  const link = html.match(/href="([^"]*prc_[^"]*\/delete)"/)?.[1] ?? ''
  await visitor.postForm(link)
  expect((await visitor.openConsole('/console/installation-prices')).text).toContain('No price is set')
  expect((await owner.openConsole('/console/installation-prices')).status).toBe(403)
  expect((await owner.postUnseen('/console/installation-prices', price)).status).toBe(403)
})

test('A viewer is offered no change, and refused', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  expect((await viewer.openConsole('/console/prices')).html).not.toMatch(/href="\/console\/prices\/[^"]/)
  expect((await viewer.postUnseen('/console/prices', price)).status).toBe(403)
  expect((await viewer.postUnseen('/console/prices/unpriced', { unpriced: 'estimate' })).status).toBe(403)
})

const list = (models: Readonly<Record<string, object>>) =>
  JSON.stringify(
    { acme: { models: Object.fromEntries(Object.entries(models).map(([name, cost]) => [name, { cost }])) } },
    null,
    2,
  )
const digestIn = (html: string) => html.match(/name="digest" value="([^"]+)"/)?.[1] ?? ''
const set = (prices: object[]) =>
  call(server.url, 'PATCH', `/v1/orgs/${tenant.id}/prices`, { key: tenant.key, body: { prices } })
const own = { model: 'ours-<i>', provider: 'acme', output_usd_per_million: '8' }

test('A price list is compared before anything changes, and imported as it was shown', async () => {
  await set([{ ...own, input_usd_per_million: '2' }])
  const file = list({ 'ours-<i>': { input: 3, output: 6 }, 'ours-new': { input: 1, output: 2 } })
  const shown = await owner.postForm('/console/prices/import', { file })
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('Nothing is changed yet')
  expect(shown.text).toMatch(
    /ours-<i> acme Dearer and cheaper input \$2\.00 → to \$3\.00 \+50% output \$8\.00 → to \$6\.00 −25%/,
  )
  expect(shown.text).toMatch(/ours-new acme Added input \$1\.00 output \$2\.00 at once/)
  expect(shown.html).not.toContain('ours-<i>')
  expect((await pricesOf()).prices).toMatchObject([{ input_usd_per_million: '2' }])
  const [form] = shown.forms
  const done = await owner.postUnseen('/console/prices/import', { ...form!.fields, digest: digestIn(shown.html) })
  expect(done.location).toBe('/console/prices?done=imported')
  expect((await pricesOf()).prices).toHaveLength(2)
  expect((await owner.openConsole('/console/prices?done=imported')).text).toContain('The prices are imported')
})

test('An import of prices that have changed since is not made, and is shown anew', async () => {
  const file = list({ 'ours-<i>': { input: 5, output: 8 } })
  await set([{ ...own, input_usd_per_million: '4' }])
  const shown = await owner.postForm('/console/prices/import', { file })
  await set([{ ...own, input_usd_per_million: '10' }])
  const late = await owner.postUnseen('/console/prices/import', { file, digest: digestIn(shown.html) })
  expect(late.status).toBe(409)
  expect(late.text).toMatch(/Nothing was imported\..*input \$10\.00 → to \$5\.00 −50%/)
  expect((await pricesOf()).prices).toMatchObject([{ input_usd_per_million: '10' }])
  await owner.postUnseen('/console/prices/import', { file, digest: digestIn(late.html) })
  expect((await pricesOf()).prices).toMatchObject([{ input_usd_per_million: '5' }])
})

test('What is wrong with a price list is shown with its line, and nothing can be imported until it is left out', async () => {
  await set([])
  const file = list({ fine: { input: 1, output: 2 }, absurd: { input: -4, output: 2 } })
  const line = file.split('\n').findIndex((one) => one.includes('absurd')) + 1
  const shown = await owner.postForm('/console/prices/import', { file })
  expect(shown.text).toContain(`acme/absurd ${line} cost.input is -4`)
  expect(digestIn(shown.html)).toBe('')
  const again = await owner.postUnseen('/console/prices/import', { ...shown.forms[0]!.fields, skip_refused: 'true' })
  expect(digestIn(again.html)).not.toBe('')
  const broken = await owner.postForm('/console/prices/import', { file: '{\n "a": abc' })
  expect([broken.status, broken.text.includes('The file is not JSON: line 2, column 7.')]).toEqual([422, true])
  expect((await owner.postForm('/console/prices/import')).status).toBe(422)
  expect((await pricesOf()).prices).toEqual([])
})

test('A price list can be sent as a file, by somebody who is signed in and from a page of ours', async () => {
  const { cookie, csrfToken } = owner.session
  const send = (token: string, headers: Record<string, string>) => {
    const body = new FormData()
    body.set('csrf_token', token)
    body.set('file', '')
    // As large as the list of all models.
    const padding = ' '.repeat(3_000_000)
    body.set('upload', new File([list({ uploaded: { input: 1, output: 2 } }) + padding], 'prices.json'))
    const origin = { origin: server.url, 'sec-fetch-site': 'same-origin' }
    return fetch(`${server.url}/console/prices/import`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...origin, ...headers },
      body,
    })
  }
  const shown = await send(csrfToken, { cookie })
  expect(shown.status).toBe(200)
  expect(await shown.text()).toMatch(/uploaded<\/b>[^]*Import 1 difference/)
  expect((await send('wrong', { cookie })).status).toBe(403)
  expect((await send(csrfToken, {})).headers.get('location')).toContain('/console/signin')
})

test('Operators import a price list for the installation; others may not', async () => {
  const visitor = await visitWithKey(server.url, operator.key)
  const path = '/console/installation-prices/import'
  const shown = await visitor.postForm(path, { file: list({ everybodys: { input: 1, output: 2 } }) })
  await visitor.postUnseen(path, { ...shown.forms[0]!.fields, digest: digestIn(shown.html) })
  expect((await visitor.openConsole('/console/installation-prices')).text).toContain('everybodys')
  expect((await owner.postUnseen(path, { file: list({ mine: { input: 0, output: 0 } }) })).status).toBe(403)
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  expect((await viewer.postUnseen('/console/prices/import', { file: '{}' })).status).toBe(403)
})

test('A file of very many invalid prices is refused with the first of them, on a page of bounded size', async () => {
  const invalid = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: -1 }
  const models = Array.from({ length: 150 }, (_, i) => [`m${i}`, invalid] as const)
  const { text } = await owner.postForm('/console/prices/import', { file: JSON.stringify(Object.fromEntries(models)) })
  expect(text).toContain('m0')
  expect(text).toContain('50 more are not shown')
})
