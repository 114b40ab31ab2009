import { beforeEach, describe, expect, test } from 'vitest'
import { useConsole } from '../support/console.ts'
import { call } from '../support/tenants.ts'

const { server, operator, ask } = useConsole()

const file = (models: Readonly<Record<string, object>>) =>
  JSON.stringify(
    { 'our-provider': { models: Object.fromEntries(Object.entries(models).map(([name, cost]) => [name, { cost }])) } },
    null,
    2,
  )
const first = { 'our-model': { input: 3, output: 15 }, 'our-other': { input: 1, output: 2 } }

const homes = {
  'an organization': {
    prices: () => ask('GET', '/prices'),
    set: (prices: object[]) => ask('PATCH', '/prices', { prices }),
    imported: (body: object) => ask('POST', '/prices/import', body),
  },
  'the installation': {
    prices: () => call(server.url, 'GET', '/v1/admin/prices', { key: operator.key }),
    set: (prices: object[]) => call(server.url, 'PUT', '/v1/admin/prices', { key: operator.key, body: { prices } }),
    imported: (body: object) => call(server.url, 'POST', '/v1/admin/prices/import', { key: operator.key, body }),
  },
}

describe.each(Object.entries(homes))('an import into the prices of %s', (_name, { prices, set, imported }) => {
  beforeEach(async () => {
    await set([])
  })
  const entries = async () =>
    ((await prices()).json['prices'] as { model: string; provider: string; input_usd_per_million: string }[])
      .map(({ model, provider, input_usd_per_million: usd }) => `${provider}/${model} ${usd}`)
      .toSorted()

  test('is shown by a dry run, which changes nothing, and then does what was shown', async () => {
    await set([
      { model: 'our-model', provider: 'our-provider', input_usd_per_million: '2', output_usd_per_million: '15' },
    ])
    const before = await entries()
    const shown = await imported({ file: file(first), dry_run: true })
    expect(shown.status).toBe(200)
    expect(shown.json).toMatchObject({
      dry_run: true,
      format: 'models.dev',
      added: 1,
      changed: 1,
      removed: 0,
      entries: 2,
    })
    expect(shown.json['changes']).toMatchObject([
      {
        change: 'dearer',
        model: 'our-model',
        terms: expect.arrayContaining([{ term: 'input', before: '2', after: '3', difference_percent: 50 }]),
      },
      { change: 'added', model: 'our-other', effective_from: null },
    ])
    expect(await entries()).toEqual(before)
    const done = await imported({ file: file(first), digest: shown.json['digest'] })
    expect([done.status, done.json['dry_run']]).toEqual([200, false])
    expect(done.json['changes']).toEqual(shown.json['changes'])
    expect(await entries()).toEqual(['our-provider/our-model 3', 'our-provider/our-other 1'])
    expect((await imported({ file: file(first) })).json).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
  })

  test('is refused where prices have changed since it was shown', async () => {
    const shown = await imported({ file: file(first), dry_run: true })
    await set([
      { model: 'our-model', provider: 'our-provider', input_usd_per_million: '9', output_usd_per_million: '9' },
    ])
    const refused = await imported({ file: file(first), digest: shown.json['digest'] })
    expect([refused.status, refused.json.error?.code]).toEqual([409, 'conflict'])
    expect(await entries()).toEqual(['our-provider/our-model 9'])
  })

  test('of two that were shown the same, one is made', async () => {
    const { json } = await imported({ file: file(first), dry_run: true })
    const other = file({ ...first, 'our-third': { input: 1, output: 1 } })
    const second = await imported({ file: other, dry_run: true })
    const both = await Promise.all([
      imported({ file: file(first), digest: json['digest'] }),
      imported({ file: other, digest: second.json['digest'] }),
    ])
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409'])
  })

  test('says what is wrong with its line, and takes the rest where it may', async () => {
    const odd = file({ ...first, absurd: { input: -1, output: 2 } })
    const line = odd.split('\n').findIndex((one) => one.includes('absurd')) + 1
    const shown = await imported({ file: odd, dry_run: true })
    expect(shown.json['refused']).toEqual([{ model: 'our-provider/absurd', line, message: 'cost.input is -1' }])
    const refused = await imported({ file: odd })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain(`Line ${line}: our-provider/absurd: cost.input is -1.`)
    expect(await entries()).toEqual([])
    expect((await imported({ file: odd, skip_refused: true })).status).toBe(200)
    expect(await entries()).toHaveLength(2)
    const broken = await imported({ file: '{\n  "a": abc\n}', dry_run: true })
    expect([broken.status, broken.text.includes('not JSON: line 2, column 8')]).toEqual([422, true])
  })

  test('of more entries than there can be is refused, and can be narrowed', async () => {
    const many = file(
      Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`model-${i}`, { input: 1, output: 2 }])),
    )
    const shown = await imported({ file: many, dry_run: true })
    expect(shown.json).toMatchObject({ entries: 1_001, max_entries: 1_000 })
    const refused = await imported({ file: many })
    expect([refused.status, refused.text.includes('1001 entries')]).toEqual([422, true])
    expect((await imported({ file: many, only: ['model-99*'] })).json).toMatchObject({ chosen: 11, added: 11 })
    const replaced = await imported({ file: file(first), replace: true })
    expect(replaced.json).toMatchObject({ removed: 11, added: 2, entries: 2 })
  })
})

test('An import leaves the settings beside the prices of an organization, and is in its audit log', async () => {
  await ask('PATCH', '/prices', { unpriced: 'ceiling', unpriced_ceiling_usd: '0.25', prices: [] })
  await ask('POST', '/prices/import', {
    file: file({ 'not-yet-1': { input: 1, output: 2 }, 'not-yet-2': { input: 1, output: 2 } }),
  })
  expect((await ask('GET', '/prices')).json).toMatchObject({ unpriced: 'ceiling', unpriced_ceiling_usd: '0.25' })
  const { json } = await ask('GET', '/audit-log?limit=100')
  const last = (json['data'] as { action: string; after: { prices: unknown[] } }[]).at(-1)
  expect([last?.action, last?.after.prices.length]).toEqual(['prices.changed', 2])
})
